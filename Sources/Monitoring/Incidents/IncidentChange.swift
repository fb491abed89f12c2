// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What became of one incident in one step: the content of an `incident` event, and what a store writes. A class, so that events stay
/// small.
package final class IncidentChange: Sendable {
    /// What happened; raw values are the HTTP contract's.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        /// It is new.
        case opened
        /// Targets joined or left it, or changed in it.
        case updated
        /// A person acknowledged or muted it, or wrote a note.
        case edited
        /// All members are back.
        case closed
        /// It was closed, and is open again.
        case reopened
    }

    /// What happened.
    package let action: Action
    /// The incident after that.
    package let incident: Incident
    /// The members that joined, failing.
    package let joined: [IncidentMember]
    /// The members that left.
    package let left: [IncidentMember]
    /// The members whose state is another.
    package let changed: [IncidentMember]
    /// The numbers of closed incidents that are no longer kept.
    package let dropped: [UInt64]
    /// When.
    package let at: Timestamp

    /// Creates a change.
    package init(
        _ action: Action,
        _ incident: Incident,
        joined: [IncidentMember] = [],
        left: [IncidentMember] = [],
        changed: [IncidentMember] = [],
        dropped: [UInt64] = [],
        at moment: Timestamp
    ) {
        self.action = action
        self.incident = incident
        self.joined = joined
        self.left = left
        self.changed = changed
        self.dropped = dropped
        at = moment
    }

    /// The same, with incidents that are no longer kept.
    func dropping(_ numbers: [UInt64]) -> IncidentChange {
        guard !numbers.isEmpty else { return self }
        return IncidentChange(
            action,
            incident,
            joined: joined,
            left: left,
            changed: changed,
            dropped: numbers,
            at: at
        )
    }

    /// What it takes in memory, estimated in bytes.
    var cost: Int {
        1_024 + incident.timeline.count * 96 + incident.notes.reduce(0) { $0 + 128 + $1.text.utf8.count }
            + (joined.count + left.count + changed.count) * 160 + dropped.count * 8
    }
}
