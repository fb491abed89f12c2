// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import LinuxIO
import Monitoring
import MonitoringTestSupport
import Synchronization

/// A place for a log that fails, or hangs, when a test says so.
final class FakeDisk: Sendable {
    struct State {
        var store = MemoryEventStore()
        /// What everything but reading comes to.
        var fault: HistoryError.Code?
        /// Why it was opened each time.
        var openings: [HistoryError.Code?] = []
        var batches: [Int] = []
        var isHanging = false
        var wantsRest = false
        var rests = 0
    }

    let state = Mutex(State())
    /// Called after each use.
    let used = Mutex<(@Sendable () -> Void)?>(nil)
    private let hanging = Semaphore()
    private let release = Semaphore()

    /// What is on the disk.
    var store: MemoryEventStore { state.withLock { $0.store } }

    func open(_ failure: HistoryError.Code?) throws(HistoryError) -> OpenedStore {
        state.withLock { $0.openings.append(failure) }
        defer { used.withLock { $0 }?() }
        try check()
        return OpenedStore(store: FakeStore(disk: self, store: store))
    }

    func fail(_ code: HistoryError.Code?) { state.withLock { $0.fault = code } }

    /// The next use does not end before ``go()``.
    func hang() { state.withLock { $0.isHanging = true } }

    /// Waits until a use hangs.
    func awaitHanging() { hanging.wait() }

    func go() { release.post() }

    fileprivate func check() throws(HistoryError) {
        let isHanging = state.withLock { state in
            defer { state.isHanging = false }
            return state.isHanging
        }
        if isHanging {
            hanging.post()
            release.wait()
        }
        if let code = state.withLock({ $0.fault }) { throw HistoryError(code, "the test says so") }
    }

    fileprivate func use<Value>(_ body: () throws(HistoryError) -> Value) throws(HistoryError) -> Value {
        defer { used.withLock { $0 }?() }
        try check()
        return try body()
    }
}

/// A log on a ``FakeDisk``.
final class FakeStore: EventStore {
    private let disk: FakeDisk
    private let store: MemoryEventStore

    init(disk: FakeDisk, store: MemoryEventStore) {
        self.disk = disk
        self.store = store
    }

    var identity: String { store.identity }
    var epoch: String { store.epoch }
    var head: UInt64 { store.head }
    var oldest: UInt64 { store.oldest }
    var size: UInt64 { store.size }

    func append(_ events: [RecordedEvent]) throws(HistoryError) {
        try disk.use { () throws(HistoryError) in
            disk.state.withLock { $0.batches.append(events.count) }
            try store.append(events)
        }
    }

    func adopt(epoch: String, head: UInt64, gaps: [EventGap]) throws(HistoryError) {
        try disk.use { () throws(HistoryError) in try store.adopt(epoch: epoch, head: head, gaps: gaps) }
    }

    var wantsRest: Bool { disk.state.withLock { $0.wantsRest } }

    func rest() throws(HistoryError) {
        try disk.use { () throws(HistoryError) in
            disk.state.withLock { ($0.rests, $0.wantsRest) = ($0.rests + 1, false) }
        }
    }

    func events(after sequence: UInt64, limit: Int) throws(HistoryError) -> [RecordedEvent] {
        try store.events(after: sequence, limit: limit)
    }

    func gaps() throws(HistoryError) -> [EventGap] { try store.gaps() }

    func trim(to limit: RetentionLimit, now: Timestamp?) throws(HistoryError) -> Bool {
        defer { disk.used.withLock { $0 }?() }
        return try store.trim(to: limit, now: now)
    }

    func oldestTime() throws(HistoryError) -> Timestamp? { try store.oldestTime() }

    func marks() throws(HistoryError) -> [String: String] { try store.marks() }

    func setMarks(_ changes: [String: String?]) throws(HistoryError) {
        try disk.use { () throws(HistoryError) in try store.setMarks(changes) }
    }

    func incidents() throws(HistoryError) -> [StoredIncident] { try store.incidents() }

    func setIncidents(_ all: [StoredIncident]) throws(HistoryError) {
        try disk.use { () throws(HistoryError) in try store.setIncidents(all) }
    }

    func lastProblems(through sequence: UInt64) throws(HistoryError) -> [RecordedEvent] {
        try store.lastProblems(through: sequence)
    }

    func backUp(to path: String) throws(HistoryError) { try store.backUp(to: path) }

    func close() {}
}
