// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Monitoring
import Synchronization

/// Taking events and writing them. All of it on the loop.
extension HistoryRecorder {
    func begin(_ session: RecordingSession) {
        confined.session = session
        confined.healthySince = loop.clock.now()
        committed.store(session.committed, ordering: .releasing)
    }

    /// Takes what is new, and hands it on when the log is free.
    func pull() {
        guard let session = confined.session else { return }
        let isMore = take(session)
        guard confined.session === session else { return }
        if !session.isBusy { work(session) }
        if isMore { loop.execute { [weak self] in self?.pull() } }
    }

    /// Takes one slice; true when there is more.
    func take(_ session: RecordingSession) -> Bool {
        if session.phase != .catchingUp, registry.recordedSequence > session.committed + waitingLimit {
            fail(HistoryError(.overrun, "more than \(waitingLimit) events wait to be written"))
            return false
        }
        guard session.hasRoom(Self.batchLength, bytes: Self.batchBytes), registry.recordedSequence > session.position
        else { return false }
        let slice = registry.recordedEvents(after: session.position, limit: Self.sliceLength)
        if slice.oldest > session.position + 1 {
            let lost = slice.oldest - 1 - session.position
            guard session.phase == .catchingUp else {
                fail(HistoryError(.overrun, "\(lost) events were discarded before they could be written"))
                return false
            }
            let counted = max(session.position, min(confined.lostThrough, slice.oldest - 1))
            published.withLock { $0.lost += slice.oldest - 1 - counted }
            confined.lostThrough = slice.oldest - 1
            session.gaps.append(gap(first: session.position + 1, last: slice.oldest - 1))
            session.position = slice.oldest - 1
        }
        session.take(slice.events)
        return session.position < slice.head && session.hasRoom(Self.batchLength, bytes: Self.batchBytes)
    }

    /// Events that may wait: also all that the end of an uplink says of every target, which is four of each, and then some.
    private var waitingLimit: UInt64 {
        max(settings.withLock { $0.waitingLimit }, UInt64(registry.overview.counts.total) * 5)
    }

    func gap(first: UInt64, last: UInt64) -> EventGap {
        let now = clock.now()
        return EventGap(
            first: first,
            last: last,
            began: confined.failedAt ?? now,
            ended: now,
            reason: confined.failure?.code ?? .other
        )
    }

    /// Gives the log, which is free, the next thing to do.
    func work(_ session: RecordingSession) {
        // Readers wait for what is pending: of many steps of trimming each lets one commit go before it.
        let isTrimsTurn = session.pending.isEmpty || !session.hasJustTrimmed
        if session.isTrimDue, isTrimsTurn, session.phase == .recording, confined.ending == nil {
            session.hasJustTrimmed = true
            trim(session)
        } else if !confined.marks.isEmpty, session.phase == .recording {
            writeMarks(session)
        } else if !session.pending.isEmpty {
            session.hasJustTrimmed = false
            commit(session)
        } else if session.phase == .catchingUp {
            openCommitGate(session)
        } else if confined.ending != nil, session.position == registry.recordedSequence {
            end()
        }
    }

    func commit(_ session: RecordingSession) {
        let limit = session.phase == .recording ? Self.commitLength : Self.batchLength
        let batch = session.handOver(limit: limit)
        guard let last = batch.last?.sequence else { return }
        let (store, term, registry) = (session.store, session.term, registry)
        run(
            session,
            { () throws(HistoryError) in
                try store.append(batch)
                // At once and not through the loop, because a caller waits for it.
                if let term { registry.makeDurable(through: last, under: term) }
            }
        ) { [self] in
            session.committed = last
            committed.store(last, ordering: .releasing)
            releasePaused()
            session.sinceTrim += batch.count
            if session.sinceTrim >= Self.batchLength { session.isTrimDue = true }
            if session.pending.isEmpty { scheduleRest(session) }
        }
    }

    /// Lets the store do what can wait once no event came for a while.
    private func scheduleRest(_ session: RecordingSession) {
        guard session.store.wantsRest else { return }
        if let timer = session.restTimer { loop.cancel(timer) }
        session.restTimer = loop.schedule(after: Self.restDelay) { [weak self, weak session] in
            guard let self, let session, confined.session === session else { return }
            session.restTimer = nil
            guard session.phase == .recording else { return }
            // A trim, or the offsets of receivers, may be written just now; the rest is due after it.
            guard !session.isBusy else { return scheduleRest(session) }
            let store = session.store
            run(session, { () throws(HistoryError) in try store.rest() }, then: {})
        }
    }

    /// Everything that was recorded is written: from now on readers wait for the log again, which stores the epoch.
    func openCommitGate(_ session: RecordingSession) {
        let promised = registry.openCommitGate(through: session.position, archive: archive(of: session.store))
        guard let promised else { return wake() }
        session.term = promised.term
        session.phase = .adopting
        let (store, head, gaps) = (session.store, session.position, session.gaps)
        let lacksIncidents = session.lacksIncidents || !gaps.isEmpty
        run(
            session,
            { [registry] () throws(HistoryError) in
                try store.adopt(epoch: promised.epoch, head: head, gaps: gaps)
                // Later events repeat what they changed since: the rows are what each of them says.
                if lacksIncidents, registry.keepsIncidents { try store.setIncidents(registry.storedIncidents) }
            }
        ) { [self] in
            session.phase = .recording
            session.lacksIncidents = false
            session.gaps = []
            confined.failure = nil
            session.committed = max(session.committed, head)
            committed.store(session.committed, ordering: .releasing)
            publishOK(store)
            registry.wakeReaders()
            let lost = gaps.reduce(0) { $0 + ($1.last - $1.first + 1) }
            let words = lost == 0 ? "nothing is missing" : "\(lost) events are missing"
            log(LogMessage(lost == 0 ? .info : .warning, "the event log is written again; \(words)"))
        }
    }

    /// Runs something that may wait for the disk; when it takes too long the log degrades.
    func run(
        _ session: RecordingSession,
        _ job: @escaping @Sendable () throws(HistoryError) -> Void,
        then: @escaping () -> Void
    ) {
        session.isBusy = true
        let limit = settings.withLock { $0.slowLimit }
        session.patience = loop.schedule(after: limit.nanoseconds) { [weak self] in
            guard let self, confined.session === session else { return }
            fail(HistoryError(.slow, "the disk did not store the events within \(limit)"))
        }
        let step = ThreadConfined(Step(session: session, done: then), to: loop)
        writer.execute { [weak self] in
            let outcome: Result<Void, HistoryError>
            do throws(HistoryError) {
                try job()
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            self?.loop.execute { self?.finish(step.value, outcome) }
        }
    }

    /// The continuation after the writing thread's part; made and used on the loop, and only carried by the other.
    struct Step {
        let session: RecordingSession
        let done: () -> Void
    }

    func finish(_ step: Step, _ outcome: Result<Void, HistoryError>) {
        let session = step.session
        // A late commit is over: no reader waits for it.
        guard confined.session === session else { return }
        if let patience = session.patience { loop.cancel(patience) }
        session.patience = nil
        session.isBusy = false
        switch outcome {
        case .success:
            step.done()
            if loop.clock.now() - confined.healthySince > Self.longestPause { confined.pause = Self.second }
            pull()
        case .failure(let error): fail(error)
        }
    }
}

/// Where readers of the log left off that come back after a restart.
extension HistoryRecorder {
    /// Where readers left off, by name; nil when the log cannot be read now. Any thread but the recorder's; waits for the disk.
    package func deliveryMarks() -> [String: String]? {
        guard let store = currentStore else { return nil }
        return reading { () throws(HistoryError) in try store.marks() }
    }

    /// Keeps where readers left off, and forgets those that are nil; as soon as the log can be written. Any thread.
    ///
    /// - Parameter numbering: the registry's, when the places were taken: those of another one mean other events, and are not kept.
    package func keep(deliveryMarks changes: [String: String?], numbering: UInt64) {
        loop.execute { [weak self] in
            // Only this thread moves the events.
            guard let self, !confined.isOver, registry.numbering == numbering else { return }
            confined.marks.merge(changes) { $1 }
            pull()
        }
    }

    /// Of each target the last transition to a judgement up to a number, if that was not `up`. Any thread but the recorder's; waits
    /// for the disk.
    package func lastProblems(through sequence: UInt64) -> [RecordedEvent] {
        guard let store = currentStore else { return [] }
        return reading { () throws(HistoryError) in try store.lastProblems(through: sequence) } ?? []
    }

    /// The incidents of earlier runs; none when the log cannot be read now, and it has them when it can. Any thread but the recorder's;
    /// waits for the disk.
    package func incidents() -> [StoredIncident] {
        guard let store = currentStore else { return [] }
        return reading { () throws(HistoryError) in try store.incidents() } ?? []
    }

    private var currentStore: (any EventStore)? {
        loop.executeAndWait { [self] in confined.session?.store } ?? nil
    }

    private func reading<Value>(_ body: () throws(HistoryError) -> Value) -> Value? {
        do throws(HistoryError) {
            return try body()
        } catch {
            log(LogMessage(.error, "cannot read receivers' offsets or incidents from the event log: \(error)"))
            return nil
        }
    }

    /// On the loop, when the log is free.
    func writeMarks(_ session: RecordingSession) {
        let marks = confined.marks
        confined.marks = [:]
        let store = session.store
        run(session, { () throws(HistoryError) in try store.setMarks(marks) }, then: {})
    }
}
