// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Synchronization

/// Failing, and coming back. All of it on the loop.
extension HistoryRecorder {
    func publishOK(_ store: any EventStore) {
        durable.store(true, ordering: .releasing)
        returning.store(false, ordering: .releasing)
        let now = clock.now()
        published.withLock { status in
            status.state = .ok
            status.since = now
            status.failure = nil
            status.bytes = store.size
            status.oldest = store.oldest > store.head ? nil : store.oldest
        }
        registry.noteServiceChange()
    }

    func fail(_ error: HistoryError) {
        let session = confined.session
        confined.session = nil
        confined.unwrittenGaps += session?.gaps ?? []
        if let patience = session?.patience { loop.cancel(patience) }
        for timer in [session?.trimTimer, session?.restTimer] { if let timer { loop.cancel(timer) } }
        let isFirst = confined.failure == nil
        if isFirst { confined.failedAt = clock.now() }
        confined.failure = error
        durable.store(false, ordering: .releasing)
        returning.store(false, ordering: .releasing)
        let since = confined.failedAt ?? clock.now()
        published.withLock { status in
            status.state = .degraded
            status.since = since
            status.failure = error
            status.failures += 1
        }
        // Only now, so that readers of the new epoch find the reason.
        if let term = session?.term { registry.degradeDurability(term) } else { registry.wakeReaders() }
        registry.noteServiceChange()
        releasePaused()
        if let store = session?.store { writer.execute { store.close() } }
        if isFirst {
            let code = error.code.rawValue
            log(LogMessage(.error, "the event log is not written (\(code)); events are kept in memory only: \(error)"))
        }
        if confined.ending != nil { end() } else { scheduleOpening() }
    }

    func scheduleOpening() {
        let pause = confined.pause
        confined.pause = min(pause * 2, Self.longestPause)
        _ = loop.schedule(after: pause) { [weak self] in self?.openAgain() }
    }

    func openAgain() {
        guard confined.session == nil, !confined.isOpening, !confined.isOver else { return }
        confined.isOpening = true
        let open = open
        let code = confined.failure?.code
        writer.execute { [weak self] in
            let outcome = Self.opened(open, after: code)
            let incidents = (try? outcome.get().store.incidents()) ?? []
            self?.loop.execute { self?.finishOpening(outcome, incidents) }
        }
    }

    func finishOpening(_ outcome: Result<OpenedStore, HistoryError>, _ incidents: [StoredIncident]) {
        confined.isOpening = false
        guard !confined.isOver else {
            if case .success(let opened) = outcome { writer.execute { opened.store.close() } }
            return
        }
        switch outcome {
        case .failure(let error): fail(error)
        case .success(let opened):
            noteSetAside(opened.setAside)
            catchUp(opened.store, incidents)
        }
    }

    /// Decides where in an opened log this run continues.
    ///
    /// - Parameter incidents: what the log has; those of an earlier run go on in this one.
    func catchUp(_ store: any EventStore, _ incidents: [StoredIncident]) {
        // Those behind the newest that was written are found again.
        var gaps = confined.unwrittenGaps.filter { $0.last <= store.head }
        confined.unwrittenGaps = []
        returning.store(true, ordering: .releasing)
        let isOurs = store.identity == confined.identity && store.head <= registry.recordedSequence
        if !isOurs, store.head > 0 {
            // Its numbers are other events' than ours, which happened later: they continue after them.
            gaps = []
            confined.lostThrough += store.head
            // Places that were kept meanwhile are of our numbers until now, those in the log are of its own.
            confined.marks = [:]
            registry.moveEvents(behind: store.head)
        }
        if !isOurs, registry.keepsIncidents { registry.beginIncidents(incidents) }
        confined.identity = store.identity
        let session = RecordingSession(
            store: store,
            phase: .catchingUp,
            term: nil,
            position: store.head,
            gaps: gaps,
            lacksIncidents: !isOurs
        )
        begin(session)
        pull()
    }

    /// Opens a log that failed a last time, if there is something to write: it may be well by now.
    func tryOnceMore(within limit: Duration) {
        // A hanging thread would never finish it.
        guard backlog > 0, confined.failure?.code != .slow else { return end() }
        _ = loop.schedule(after: limit.nanoseconds) { [weak self] in self?.end() }
        openAgain()
    }

    /// Nothing is left to write, or to hope for.
    func end() {
        guard !confined.isOver else { return }
        confined.isOver = true
        if backlog > 0 {
            let why = confined.failure.map { ": \($0)" } ?? ""
            log(LogMessage(.error, "\(backlog) events were not stored and are lost when reachd ends\(why)"))
        }
        if let store = confined.session?.store { writer.execute { store.close() } }
        confined.session = nil
        durable.store(false, ordering: .releasing)
        releasePaused()
        confined.ending?.post()
    }
}

extension HistoryError.Code {
    /// Whether waiting does not help.
    var isForPeople: Bool {
        switch self {
        case .locked, .tooNew, .foreign, .cannotOpen: true
        case .full, .readOnly, .corrupt, .inputOutput, .removed, .slow, .overrun, .noMemory, .other: false
        }
    }
}
