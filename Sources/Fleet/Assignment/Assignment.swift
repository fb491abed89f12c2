// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A shard as one location watches it: the unit that has an owner.
package struct AssignmentKey: Sendable, Hashable, Comparable {
    /// The shard.
    package let shard: Shard
    /// The location.
    package let location: String

    /// Creates a key.
    package init(shard: Shard, location: String) {
        self.shard = shard
        self.location = location
    }

    /// Orders keys by shard, then by location.
    package static func < (left: AssignmentKey, right: AssignmentKey) -> Bool {
        left.shard == right.shard ? left.location < right.location : left.shard < right.shard
    }
}

/// The owner of a shard in a location.
package struct Assignment: Sendable, Hashable {
    /// The owner's name.
    package let node: String
    /// The fencing token: greater than that of each earlier owner, so that a vote of an earlier one is recognised.
    package let token: UInt64
}

/// A change of the assignments.
package struct AssignmentChange: Sendable, Hashable {
    /// The shard and the location.
    package let key: AssignmentKey
    /// The new owner; nil when there is none.
    package let assignment: Assignment?
}

/// The assignments of a fleet, and what their next change depends on.
package struct AssignmentState: Sendable, Hashable {
    /// The owners.
    package internal(set) var assignments: [AssignmentKey: Assignment]
    /// The newest token; each plan with changes increases it by one.
    package internal(set) var token: UInt64
    /// When each location had a node last; older ones than ``AssignmentPlanner/locationGrace`` are absent.
    package internal(set) var locations: [String: Duration] = [:]
    /// The nodes that were dead at the last plan.
    var dead: Set<String> = []
    /// The nodes that lost leases.
    package internal(set) var holdDowns: [String: HoldDown] = [:]
    /// When a node was lost last; nil before the first time.
    package internal(set) var lastLoss: Duration?
    /// When shards were moved to balance the load last; nil before the first time.
    package internal(set) var lastRebalance: Duration?

    /// The state of a new coordinator. The history of losses begins with it.
    ///
    /// - Parameters:
    ///   - assignments: the stored assignments.
    ///   - token: the stored token.
    package init(assignments: [AssignmentKey: Assignment] = [:], token: UInt64 = 0) {
        self.assignments = assignments
        self.token = token
    }
}

/// What a planner decided.
package struct AssignmentPlan: Sendable, Hashable {
    /// The state with all changes.
    package let state: AssignmentState
    /// The changes, sorted by key.
    package let changes: [AssignmentChange]
    /// The shards that no node of their location has capacity for, sorted.
    package let unassigned: [AssignmentKey]
}
