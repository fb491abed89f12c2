// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
package import PostgreSQL

/// A shard that is assigned to this node.
package struct OwnAssignment: Sendable, Hashable {
    /// The shard and the location.
    package let key: AssignmentKey
    /// The fencing token.
    package let token: UInt64
    /// When it was assigned, since the Unix epoch by the database's clock.
    package let since: Duration
    /// The newest token for which an owner reported that it has probed the shard; 0 for none.
    package let confirmed: UInt64
    /// Whether the location is the first, by name, of those that watch the shard.
    package let isFirst: Bool

    /// Creates an assignment.
    package init(key: AssignmentKey, token: UInt64, since: Duration, confirmed: UInt64 = 0, isFirst: Bool = true) {
        self.key = key
        self.token = token
        self.since = since
        self.confirmed = confirmed
        self.isFirst = isFirst
    }

    /// Reads the rows of ``MembershipStatements/ownAssignments``.
    ///
    /// - Parameter location: this node's location. Rows of another one, and invalid rows, are skipped.
    /// - Returns: the assignments, and how many rows were skipped.
    package static func list(_ rows: DatabaseRows, location: String) -> (assignments: [OwnAssignment], skipped: Int) {
        var assignments: [OwnAssignment] = []
        assignments.reserveCapacity(rows.rowCount)
        for row in 0..<rows.rowCount {
            guard let assignment = try? OwnAssignment(rows, row), assignment.key.location == location else { continue }
            assignments.append(assignment)
        }
        return (assignments, rows.rowCount - assignments.count)
    }

    private init(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) {
        let placement = try rows.count(row, 0)
        let number = try rows.count(row, 1)
        guard placement <= Int32.max, number < Shard.count else {
            throw DatabaseError(.unexpectedAnswer, "placement \(placement) has no shard \(number)")
        }
        self.init(
            key: AssignmentKey(
                shard: Shard(placement: Int(placement), number: Int(number)),
                location: try rows.text(row, 2)
            ),
            token: UInt64(try rows.count(row, 3)),
            since: try rows.instant(row, 4),
            confirmed: UInt64(try rows.count(row, 5)),
            isFirst: try rows.bool(row, 6)
        )
    }
}
