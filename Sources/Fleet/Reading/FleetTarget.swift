// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
internal import PostgreSQL

/// A target of the fleet: its declaration, its verdict and the votes that it is based on.
package struct FleetTarget: Sendable {
    /// Its place in lists.
    package let ordinal: UInt64
    /// Its id.
    package let id: String
    /// Its declaration; nil when this version cannot read it.
    package let settings: TargetSettings?
    /// Its group; nil for none.
    package let group: String?
    /// Its labels.
    package let tags: [String: String]
    /// The source of `fleet apply` that declared it; nil for API clients.
    package let source: String?
    /// The version of its declaration.
    package let revision: FleetRevision
    /// Which locations watch it.
    package let placement: Placement
    /// Whether it stays `up` while only some locations reach it.
    package let isPartialUp: Bool
    /// Its state.
    package let state: TargetState
    /// Where the fault is; nil without one.
    package let cause: StateCause?
    /// The code of the reason; nil while it is up.
    package let reason: String?
    /// A sentence about the reason.
    package let detail: String?
    /// When the state began.
    package let since: Timestamp
    /// When the state changes unless the locations agree before; nil when nothing is pending.
    package let pendingUntil: Timestamp?
    /// How the votes count.
    package let counts: VoteCounts
    /// The votes, by location.
    package let votes: [FleetVote]
}

/// A location's vote on a target.
package struct FleetVote: Sendable {
    /// What the location reports.
    package let vote: Vote
    /// How it counts.
    package let standing: VoteStanding
    /// The node that is assigned; nil for none.
    package let node: String?
    /// The URL of that node's HTTP interface; nil when it states none.
    package let url: String?

    /// Whether the assigned node has probed the target itself.
    package var isConfirmed: Bool { vote.owner == .confirmed }
}

/// Some targets of a fleet in the order of their ordinals, of one moment.
package struct FleetTargetPage: Sendable {
    /// The targets.
    package let targets: [FleetTarget]
    /// The versions of what the page shows.
    package let version: FleetVersion
    /// The database's time.
    package let now: Timestamp
    /// The ordinal after which the list continues; nil at its end.
    package let next: UInt64?
    /// How many targets match in all; nil if that was not wanted.
    package internal(set) var total: Int?
}

extension FleetTargetPage {
    /// Reads a page.
    ///
    /// - Parameters:
    ///   - filter: the wanted targets.
    ///   - ordinal: that of the last target that the reader knows; 0 for the beginning.
    ///   - limit: the maximum number of targets.
    ///   - declarations: reads the declarations.
    static func question(
        _ filter: FleetTargetFilter,
        after ordinal: UInt64,
        limit: Int,
        _ declarations: DeclarationCache
    ) -> FleetQuestion<FleetTargetPage> {
        let conditions = filter.conditions(from: 3)
        let longest = NodeLease.lengths.upperBound.microseconds
        let statement = Statement(
            """
            WITH x AS MATERIALIZED (
              SELECT t.* FROM targets t WHERE t.ordinal > $1::bigint\(conditions.text) ORDER BY t.ordinal LIMIT $2::bigint)
            SELECT \(FleetVersion.columns), \(DatabaseClock.now), h.settings, h.isolated, \(FleetTargetRow.columns)
            FROM log_head h
            CROSS JOIN LATERAL (
              SELECT least(coalesce((h.settings::json->>'lease_us')::bigint, 5000000), \(longest)) AS lease) s
            LEFT JOIN x ON true \(FleetTargetRow.joins)
            ORDER BY x.ordinal, a.location
            """,
            name: "targets"
        )
        // One more than wanted: there is a further page.
        let parameters: [DatabaseValue] = [.integer(Int64(clamping: ordinal)), .integer(Int64(limit) + 1)]
        return FleetQuestion(statement, parameters + conditions.values) { rows throws(DatabaseError) in
            let version = try FleetVersion(rows, 0)
            let now = Duration(microseconds: try rows.integer(0, FleetVersion.count))
            let settings = FleetSettings(text: try rows.text(0, FleetVersion.count + 1))
            let isolated = Set(try rows.texts(0, FleetVersion.count + 2).compactMap(\.self))
            var targets: [FleetTarget] = []
            var row = 0
            while row < rows.rowCount, try !rows.isNull(row, FleetTargetRow.first) {
                let ordinal = try rows.integer(row, FleetTargetRow.first)
                var end = row + 1
                while end < rows.rowCount, try rows.integer(end, FleetTargetRow.first) == ordinal { end += 1 }
                let target = try FleetTargetRow(rows, row..<end, now: now)
                targets.append(try target.target(settings, isolated: isolated, declarations, of: version))
                row = end
            }
            let isLast = targets.count <= limit
            if !isLast { targets.removeLast() }
            return FleetTargetPage(
                targets: targets,
                version: version,
                now: Timestamp(now),
                next: isLast ? nil : targets.last?.ordinal
            )
        }
    }
}
