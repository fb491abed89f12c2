// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Synchronization
import TestSupport

@testable import Fleet

/// Reads a fleet's log as a stream does: what is in memory from there, and earlier events from the database.
final class LogReader: Sendable {
    /// A stretch of the log that was received.
    struct Progress: Sendable {
        /// The reader has everything up to this number.
        let position: UInt64
        /// All events so far.
        let events: [RecordedEvent]
    }

    /// What was received, after each stretch.
    let progress = Recorder<Progress>()
    /// How often events were read from the database.
    var recallCount: Int { recalls.load(ordering: .relaxed) }
    private let recalls = Atomic<Int>(0)
    private let log: FleetLog
    private let ticket: UInt64
    private let isEnded = Atomic<Bool>(false)
    private let state: Mutex<State>

    private struct State {
        /// nil until the log is current.
        var position: UInt64?
        var numbering: UInt64 = 0
        var events: [RecordedEvent] = []
        var isRecalling = false
    }

    /// Begins to read.
    ///
    /// - Parameter position: the last number that is known; nil for the newest one.
    init(_ log: FleetLog, after position: UInt64? = nil) {
        self.log = log
        state = Mutex(State())
        ticket = log.beginFollowing()
        log.onEvents { [weak self] in self?.advance(beginningAfter: position) }
    }

    deinit { end() }

    /// Ends reading, as a client does that disconnects.
    func end() {
        guard !isEnded.exchange(true, ordering: .sequentiallyConsistent) else { return }
        log.endFollowing()
    }

    /// Waits until it has everything up to a number.
    func reach(_ number: UInt64) async throws -> [RecordedEvent] {
        try await progress.next { $0.position >= number }.events
    }

    /// The log calls this and completions on its thread alone.
    private func advance(beginningAfter start: UInt64?) {
        guard !isEnded.load(ordering: .sequentiallyConsistent) else { return }
        while true {
            let position = state.withLock { state -> UInt64? in
                if state.isRecalling { return nil }
                if state.position == nil, log.isCurrent(since: ticket) {
                    state.position = start ?? log.sequence
                    state.numbering = log.numbering
                    progress.record(Progress(position: state.position ?? 0, events: []))
                }
                if state.numbering != log.numbering { return nil }
                return state.position.flatMap { log.sequence > $0 ? $0 : nil }
            }
            guard let position else { return }
            guard let slice = log.heldEvents(after: position, limit: 256) else {
                recalls.add(1, ordering: .relaxed)
                state.withLock { $0.isRecalling = true }
                return log.recall(after: position, limit: 256) { [weak self] slice in
                    self?.state.withLock { $0.isRecalling = false }
                    guard let self, let slice else { return }
                    take(slice)
                    advance(beginningAfter: start)
                }
            }
            take(slice)
        }
    }

    private func take(_ slice: EventSlice<RecordedEvent>) {
        state.withLock { state in
            state.events += slice.events
            state.position = max(slice.through, slice.events.last?.sequence ?? 0)
            progress.record(Progress(position: state.position ?? 0, events: state.events))
        }
    }
}
