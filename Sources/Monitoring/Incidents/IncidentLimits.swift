// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How many incidents are kept that are over; open ones have no more members than there are targets.
package struct IncidentLimits: Sendable, Hashable {
    /// Closed incidents kept at most.
    package var closed = 2_000
    /// Members of closed incidents kept at most, of all together.
    package var members = 200_000
    /// Notes of one incident.
    package static let notes = 100
    /// The length of a note in bytes of UTF-8.
    package static let noteLength = 2_000
    /// The length of a person's name in bytes of UTF-8.
    package static let nameLength = 128

    /// The defaults.
    package init() {}
}

/// How many incidents are open, by kind and severity; for metrics.
package struct IncidentTally: Sendable, Hashable {
    /// What is counted apart.
    package struct Key: Sendable, Hashable {
        /// The kind of the cause.
        package let kind: IncidentCause.Kind
        /// The severity.
        package let severity: TargetState

        /// Where the fault lies.
        package var place: StateCause { IncidentCause(kind).place }
    }

    /// The open ones; absent for none.
    package private(set) var open: [Key: Int] = [:]
    /// How many were opened in this run.
    package private(set) var opened: UInt64 = 0

    /// No incidents.
    package init() {}

    /// How many are open.
    package var openCount: Int { open.values.reduce(0, +) }

    /// Counts an incident after a change.
    mutating func follow(_ entry: inout IncidentBook.Entry) {
        if let old = entry.counted { open[old] = open[old].flatMap { $0 > 1 ? $0 - 1 : nil } }
        if !entry.isCountedAsOpened {
            entry.isCountedAsOpened = true
            opened += 1
        }
        let incident = entry.incident
        entry.counted = incident.isOpen ? Key(kind: incident.cause.kind, severity: incident.severity) : nil
        if let new = entry.counted { open[new, default: 0] += 1 }
    }
}

/// The closed incidents in the order in which they were closed.
struct ClosedIncidents: Sendable {
    private var queue: [(number: UInt64, closedAt: Timestamp)] = []
    private var start = 0
    private(set) var count = 0
    private(set) var members = 0

    mutating func add(_ number: UInt64, closedAt: Timestamp, members: Int) {
        queue.append((number, closedAt))
        count += 1
        self.members += members
    }

    /// One is open again; its place in the queue means nothing from now on.
    mutating func reopen(members: Int) { leave(members: members) }

    /// One is no longer kept.
    mutating func leave(members: Int) {
        count -= 1
        self.members -= members
    }

    /// Takes the one that was closed first; possibly one that was opened again since, or is gone.
    mutating func next() -> (number: UInt64, closedAt: Timestamp)? {
        guard start < queue.count else { return nil }
        start += 1
        let first = queue[start - 1]
        if start > 1_024, start > queue.count / 2 {
            queue.removeFirst(start)
            start = 0
        }
        return first
    }

    /// The one that ``next()`` returns.
    var first: (number: UInt64, closedAt: Timestamp)? { start < queue.count ? queue[start] : nil }
}

extension IncidentBook {
    /// Forgets closed incidents beyond the limits; returns their numbers.
    mutating func dropExcess() -> [UInt64] {
        var dropped: [UInt64] = []
        while closed.count > limits.closed || closed.members > limits.members, let next = closed.next() {
            if drop(next) { dropped.append(next.number) }
        }
        return dropped
    }

    /// Forgets incidents that were closed before a time.
    package mutating func forget(closedBefore moment: Timestamp) {
        while let first = closed.first, first.closedAt < moment {
            _ = closed.next()
            if drop(first) { revision += 1 }
        }
    }

    /// Forgets an incident if it is still closed since then.
    private mutating func drop(_ place: (number: UInt64, closedAt: Timestamp)) -> Bool {
        guard let entry = entries[place.number], !entry.wasOpen, !entry.incident.isOpen,
            entry.latestClosing == place.closedAt
        else { return false }
        entries[place.number] = nil
        numbersByID[entry.incident.id] = nil
        for cause in entry.causes where causes[cause] == place.number {
            causes[cause] = nil
        }
        closed.leave(members: entry.members.count)
        if numbers.count > 64, entries.count < numbers.count / 2 { numbers.removeAll { entries[$0] == nil } }
        return true
    }
}
