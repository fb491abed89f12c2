// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What a node needs to continue without its database after a restart: its shards with their tokens, and their targets.
package struct CachedAssignments: Sendable, Hashable {
    /// Whose assignments they are. A list of another owner is not used.
    package struct Owner: Sendable, Hashable {
        /// The node's name.
        package let node: String
        /// The node's location.
        package let location: String
        /// The database's name.
        package let database: String
        /// The role; a second fleet in the same database has another one.
        package let role: String

        /// Creates an owner.
        package init(node: String, location: String, database: String, role: String) {
            (self.node, self.location, self.database, self.role) = (node, location, database, role)
        }
    }

    /// A shard of the node.
    package struct HeldShard: Sendable, Hashable {
        /// The shard.
        package let shard: Shard
        /// The fencing token.
        package let token: UInt64

        /// Creates a value.
        package init(shard: Shard, token: UInt64) {
            (self.shard, self.token) = (shard, token)
        }
    }

    /// A target of one of the shards.
    package struct HeldTarget: Sendable, Hashable {
        /// The target.
        package let target: AssignedTarget
        /// The newest event of the node's log when the target was assigned under the shard's token: only later ones count under it.
        package let beginning: UInt64
        /// What results found last: `up`, `degraded` or `down`; nil for nothing.
        package let state: TargetState?

        /// Creates a value.
        package init(target: AssignedTarget, beginning: UInt64, state: TargetState?) {
            (self.target, self.beginning, self.state) = (target, beginning, state)
        }
    }

    /// The owner.
    package let owner: Owner
    /// The fleet's identity in its database.
    package let identity: String
    /// The epoch of the node's log that the numbers of events belong to.
    package let epoch: String
    /// The shards, each once.
    package let shards: [HeldShard]
    /// The targets, each once.
    package let targets: [HeldTarget]

    /// Creates a value; targets of other shards are left out.
    package init(owner: Owner, identity: String, epoch: String, shards: [HeldShard], targets: [HeldTarget]) {
        (self.owner, self.identity, self.epoch, self.shards) = (owner, identity, epoch, shards)
        let known = Set(shards.map(\.shard))
        self.targets = targets.filter { known.contains($0.target.shard) }
    }
}

/// Why cached assignments are not used, or were not written.
package struct AssignmentCacheError: Error, Sendable, Hashable {
    /// The reason; raw values are stable.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The file cannot be read.
        case unreadable
        /// It is, or would be, larger than ``CachedAssignments/sizeLimit``.
        case tooLarge = "too_large"
        /// Its contents are incomplete or changed.
        case damaged
        /// Another version of reachd wrote it.
        case unsupportedFormat = "unsupported_format"
        /// It belongs to another node, location, database or role.
        case otherOwner = "other_owner"
        /// It belongs to another fleet, as the database's identity tells.
        case otherFleet = "other_fleet"
        /// It cannot be written, for example because the disk is full.
        case unwritable
    }

    /// The reason.
    package let code: Code
    /// One line for people.
    package let message: String

    /// Creates an error.
    package init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }
}
