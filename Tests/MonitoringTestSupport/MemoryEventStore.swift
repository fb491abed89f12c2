// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import History
package import Monitoring
import Synchronization

/// A log that outlives its user and not the process: for tests, and as the plainest form of what a log must do.
package final class MemoryEventStore: EventStore {
    fileprivate struct State {
        var epoch = EventID.randomEpoch()
        var head: UInt64 = 0
        var events: [RecordedEvent] = []
        var gaps: [EventGap] = []
        var marks: [String: String] = [:]
        var incidents: [UInt64: StoredIncident] = [:]
    }

    /// The name of this store.
    package let identity = EventID.randomEpoch()
    private let state = Mutex(State())

    /// Creates an empty log.
    package init() {}

    /// The epoch of the numbers.
    package var epoch: String { state.withLock { $0.epoch } }

    /// The number of the newest event.
    package var head: UInt64 { state.withLock { $0.head } }

    /// The number of the oldest event that is kept.
    package var oldest: UInt64 { state.withLock { $0.events.first?.sequence ?? $0.head + 1 } }

    /// How much room the events take.
    package var size: UInt64 { state.withLock { state in state.events.reduce(0) { $0 + UInt64($1.cost) } } }

    /// Adds events.
    package func append(_ events: [RecordedEvent]) throws(HistoryError) {
        let isInOrder = state.withLock { state in
            var head = state.head
            for event in events {
                guard event.sequence > head else { return false }
                head = event.sequence
            }
            state.events += events
            state.head = head
            for change in events.compactMap(\.incident) { state.take(change) }
            return true
        }
        guard isInOrder else { throw HistoryError(.other, "append: a number that is in the log already") }
    }

    /// All incidents.
    package func incidents() throws(HistoryError) -> [StoredIncident] {
        state.withLock { $0.incidents.values.sorted { $0.incident.number < $1.incident.number } }
    }

    /// Replaces all incidents.
    package func setIncidents(_ all: [StoredIncident]) throws(HistoryError) {
        state.withLock { state in
            state.incidents = Dictionary(uniqueKeysWithValues: all.map { ($0.incident.number, $0) })
        }
    }

    /// Says under which epoch the numbers are from now on.
    package func adopt(epoch: String, head: UInt64, gaps: [EventGap]) throws(HistoryError) {
        state.withLock { state in
            state.epoch = epoch
            state.head = max(state.head, head)
            state.gaps += gaps
        }
    }

    /// Events that follow a number.
    package func events(after sequence: UInt64, limit: Int) throws(HistoryError) -> [RecordedEvent] {
        state.withLock { state in
            let found = state.events.drop { $0.sequence <= sequence }.prefix(limit)
            return found.contiguous
        }
    }

    /// What is missing.
    package func gaps() throws(HistoryError) -> [EventGap] { state.withLock { $0.gaps } }

    /// Removes some of the oldest events.
    package func trim(to limit: RetentionLimit, now: Timestamp?) throws(HistoryError) -> Bool {
        state.withLock { state in
            var bytes = state.events.reduce(0) { $0 + UInt64($1.cost) }
            var count = 0
            for event in state.events {
                let isOld = now.map { $0.milliseconds - event.at.milliseconds > limit.milliseconds } ?? false
                guard isOld || bytes > limit.bytes else { break }
                bytes -= UInt64(event.cost)
                count += 1
            }
            state.events.removeFirst(count)
        }
        if let now {
            let oldest = now.milliseconds - limit.milliseconds
            state.withLock { state in
                state.incidents = state.incidents.filter { $1.incident.closedAt?.milliseconds ?? .max >= oldest }
            }
        }
        return false
    }

    /// When the oldest event was recorded.
    package func oldestTime() throws(HistoryError) -> Timestamp? { state.withLock { $0.events.first?.at } }

    /// Where readers left off.
    package func marks() throws(HistoryError) -> [String: String] { state.withLock { $0.marks } }

    /// Keeps where readers left off.
    package func setMarks(_ changes: [String: String?]) throws(HistoryError) {
        state.withLock { state in
            for (name, mark) in changes { state.marks[name] = mark }
        }
    }

    /// Targets that were not up.
    package func lastProblems(through sequence: UInt64) throws(HistoryError) -> [RecordedEvent] {
        let judgements: Set<TargetState> = [.up, .degraded, .down, .unreachable]
        return state.withLock { state in
            let last = state.events.prefix { $0.sequence <= sequence }.reduce(into: [String: RecordedEvent]()) {
                last,
                event in
                guard let target = event.target, let state = event.transition?.to, judgements.contains(state) else {
                    return
                }
                last[target] = event
            }
            return last.values.filter { $0.transition?.to != .up }.sorted { $0.sequence < $1.sequence }
        }
    }

    /// There is nothing to make a file of.
    package func backUp(to path: String) throws(HistoryError) {
        throw HistoryError(.other, "back up to \(path): the log is in memory")
    }

    /// Nothing has to end.
    package func close() {}
}

extension MemoryEventStore.State {
    fileprivate mutating func take(_ change: IncidentChange) {
        var stored = incidents[change.incident.number] ?? StoredIncident(change.incident, members: [])
        stored.incident = change.incident
        for member in change.joined + change.left + change.changed {
            if let place = stored.members.firstIndex(where: { $0.target == member.target }) {
                stored.members[place] = member
            } else {
                stored.members.append(member)
            }
        }
        incidents[change.incident.number] = stored
        for number in change.dropped { incidents[number] = nil }
    }
}
