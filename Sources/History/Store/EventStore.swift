// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// A log of events that outlives the process. `EventStoreConformance` in the tests is what any implementation must pass.
///
/// One thread at a time writes; any thread may read meanwhile. What ``append(_:)`` returned from is safe from the end
/// of the process, however it comes.
package protocol EventStore: AnyObject, Sendable {
    /// The name of this store: another for each that was made anew, the same after each opening.
    var identity: String { get }
    /// The epoch of the numbers, as it was when the store was opened or ``adopt(epoch:head:gaps:)`` set it.
    var epoch: String { get }
    /// The number of the newest event, or the number behind which the next one will be if none is kept.
    var head: UInt64 { get }
    /// The number of the oldest event that is kept; one more than ``head`` when none is. Any thread, no look at the disk.
    var oldest: UInt64 { get }
    /// How much room the events take, in bytes, as far as known without a look at the disk.
    var size: UInt64 { get }

    /// Adds events, all of them or, when it throws, none, with what they tell of incidents. Their numbers grow and are larger than
    /// ``head``.
    func append(_ events: [RecordedEvent]) throws(HistoryError)

    /// Whether ``rest()`` has something to do. Any thread, no look at the disk.
    var wantsRest: Bool { get }

    /// Does what can wait until no event is to be written.
    func rest() throws(HistoryError)

    /// Says under which epoch the numbers are from now on, that they go on behind `head` at the earliest, and what is missing.
    func adopt(epoch: String, head: UInt64, gaps: [EventGap]) throws(HistoryError)

    /// At most `limit` events that follow a number, oldest first, up to the first number that is missing among them; the first
    /// of them may be later than the next.
    func events(after sequence: UInt64, limit: Int) throws(HistoryError) -> [RecordedEvent]

    /// What is missing, oldest first.
    func gaps() throws(HistoryError) -> [EventGap]

    /// All incidents, oldest first.
    func incidents() throws(HistoryError) -> [StoredIncident]

    /// Replaces all incidents, where ``append(_:)`` did not have all events that tell of them.
    func setIncidents(_ all: [StoredIncident]) throws(HistoryError)

    /// Removes some of the oldest events, and of the incidents that are closed, no more than what takes a few milliseconds.
    ///
    /// - Parameters:
    ///   - limit: what may be kept.
    ///   - now: the time that ages are measured by; nil when it is not to be trusted.
    /// - Returns: Whether there is more to remove.
    func trim(to limit: RetentionLimit, now: Timestamp?) throws(HistoryError) -> Bool

    /// When the oldest event was recorded; nil when none is kept.
    func oldestTime() throws(HistoryError) -> Timestamp?

    /// Where readers that come back left off, by name, as ``setMarks(_:)`` kept it.
    func marks() throws(HistoryError) -> [String: String]

    /// Keeps where readers left off, and forgets those that are nil; all of it or, when it throws, nothing.
    func setMarks(_ changes: [String: String?]) throws(HistoryError)

    /// Of each target the last transition up to a number that leads to a judgement (`up`, `degraded`, `down`, `unreachable`), if
    /// that is not `up`; oldest first.
    func lastProblems(through sequence: UInt64) throws(HistoryError) -> [RecordedEvent]

    /// Copies everything that is safe at this moment to a new file, while others read and write. The copy has its own
    /// identity and epoch: a log that went on from it would give numbers away twice.
    ///
    /// - Parameter path: where; there must be no file.
    func backUp(to path: String) throws(HistoryError)

    /// Ends the writing; a second call does nothing. By the thread that writes.
    func close()
}

extension EventStore {
    /// A store may have nothing that can wait.
    package var wantsRest: Bool { false }

    /// Does nothing.
    package func rest() throws(HistoryError) {}
}

/// Events that were recorded and are not in the log.
package struct EventGap: Sendable, Hashable {
    /// The number of the first that is missing.
    package let first: UInt64
    /// The number of the last that is missing.
    package let last: UInt64
    /// Since when the log was not written.
    package let began: Timestamp
    /// Since when it was again.
    package let ended: Timestamp
    /// Why.
    package let reason: HistoryError.Code

    /// Creates a gap.
    package init(first: UInt64, last: UInt64, began: Timestamp, ended: Timestamp, reason: HistoryError.Code) {
        self.first = first
        self.last = last
        self.began = began
        self.ended = ended
        self.reason = reason
    }
}

/// A log that was opened.
package struct OpenedStore: Sendable {
    /// The log.
    package let store: any EventStore
    /// Where an unusable one is now that was in its place; nil when there was none.
    package let setAside: String?

    /// Creates a value.
    package init(store: any EventStore, setAside: String? = nil) {
        self.store = store
        self.setAside = setAside
    }
}

/// How much a log may keep.
package struct RetentionLimit: Sendable, Hashable {
    /// How old an event may be.
    package var age: Duration
    /// How much room all of them may take, in bytes.
    package var bytes: UInt64

    /// Creates a limit.
    package init(age: Duration = .seconds(90 * 86_400), bytes: UInt64 = 1 << 30) {
        self.age = age
        self.bytes = bytes
    }

    /// The time before which everything is too old; nil while the time is not to be trusted.
    func oldest(at now: Timestamp?) -> Timestamp? {
        guard let now else { return nil }
        let (oldest, isTooEarly) = now.milliseconds.subtractingReportingOverflow(milliseconds)
        return isTooEarly ? nil : Timestamp(milliseconds: oldest)
    }

    /// Milliseconds of ``age``; what is too long to say is as long as can be said.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = age.components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        return isTooLong ? .max : whole + attoseconds / 1_000_000_000_000_000
    }
}

extension Collection where Element == RecordedEvent {
    /// The events up to the first number that is missing.
    package var contiguous: [RecordedEvent] {
        var kept: [RecordedEvent] = []
        kept.reserveCapacity(count)
        for event in self {
            if let last = kept.last, event.sequence != last.sequence + 1 { break }
            kept.append(event)
        }
        return kept
    }
}
