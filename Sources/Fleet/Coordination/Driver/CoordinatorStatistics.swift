// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
import PostgreSQL

/// What a coordinator did since it was created.
package struct CoordinatorStatistics: Sendable, Hashable {
    /// How often it became the coordinator.
    package var terms: UInt64 = 0
    /// Rounds that wrote something.
    package var rounds: UInt64 = 0
    /// Rows of the inbox that were processed.
    package var rows: UInt64 = 0
    /// Votes that were stored.
    package var votes: UInt64 = 0
    /// Rows that did not count, by reason.
    package var rejected: [RejectionReason: UInt64] = [:]
    /// Verdicts that were replaced.
    package var verdicts: UInt64 = 0
    /// Events that were written.
    package var events: UInt64 = 0
    /// Verdicts that another statement had replaced in the meantime, and that were decided again.
    package var conflicts: UInt64 = 0
    /// Changes of assignments that were written.
    package var assignments: UInt64 = 0
    /// The shards that no node of their location has capacity for, each counted by location; as of the last plan.
    package var unassigned = 0
    /// The targets of these shards, each counted by location.
    package var unassignedTargets = 0
    /// The live nodes, the targets, and the shards with an owner, each counted by location; as of the last plan.
    package var (nodes, targets, owned) = (0, 0, 0)
    /// How many incidents are open, and how many were opened, in this node's last term.
    package var incidents = IncidentTally()
    /// Targets that were decided again without a row of the inbox.
    package var reevaluations: UInt64 = 0
    /// Rows of other tables that could not be read and were skipped.
    package var skipped: UInt64 = 0
    /// Statements that were executed.
    package var statements: UInt64 = 0
    /// Statements that failed.
    package var failures: UInt64 = 0
    /// How long all of them took.
    package var statementTime = Duration.zero
    /// How long the slowest statement took.
    package var slowestStatement = Duration.zero
    /// The slowest statement's name.
    package var slowestStatementName: String?

    /// Creates empty statistics.
    package init() {}
}

extension CoordinatorStatistics {
    /// Counts a statement.
    ///
    /// - Parameters:
    ///   - statement: the statement.
    ///   - start: when it was sent, in nanoseconds.
    ///   - end: when its result arrived.
    mutating func record(_ statement: Statement, from start: UInt64, to end: UInt64) {
        statements += 1
        let duration = Duration.nanoseconds(Int64(clamping: end &- start))
        statementTime += duration
        guard duration > slowestStatement else { return }
        slowestStatement = duration
        slowestStatementName = statement.name
    }
}
