// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
internal import PostgreSQL

/// How long a target of the fleet was in each state.
package struct FleetStateTimes: Sendable {
    /// For each range the milliseconds in each state.
    package let times: [[TargetState: UInt64]]

    /// Sums the times of a target in ranges of time; nil for an unknown target.
    ///
    /// - Parameters:
    ///   - target: the target's id.
    ///   - ranges: in milliseconds since 1970.
    package static func question(of target: String, in ranges: [Range<Int64>]) -> FleetQuestion<FleetStateTimes?> {
        let first = ranges.map(\.lowerBound).min() ?? 0
        // Each change tells of the state that it ended, and since when that was: between the lives of a target that was removed
        // and declared again it had none. Events have whole milliseconds there.
        let statement = Statement(
            """
            WITH n AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now),
            v AS (SELECT state, since FROM verdicts WHERE target = $1::text),
            g AS MATERIALIZED (
              SELECT from_state AS state, at AS last, greatest(
                (extract(epoch FROM (data::json->>'previous_since')::timestamptz) * 1000000)::bigint,
                lag(at) OVER (ORDER BY seq)) AS first
              FROM log WHERE target = $1::text AND to_state <> from_state AND day >= $2::text::date
              UNION ALL SELECT v.state, n.now, v.since FROM v, n),
            s AS (
              SELECT r.number, g.state, sum(least(g.last, r.last) - greatest(g.first, r.first))::bigint AS time
              FROM unnest($3::bigint[], $4::bigint[]) WITH ORDINALITY AS r(first, last, number)
              JOIN g ON g.first < r.last AND g.last > r.first GROUP BY 1, 2)
            SELECT s.number, s.state, s.time FROM v LEFT JOIN s ON true ORDER BY 1
            """,
            name: "state_times"
        )
        let parameters: [DatabaseValue] = [
            .text(target), .text(String(Timestamp(milliseconds: first - 86_400_000).description.prefix(10))),
            .integers(ranges.map { $0.lowerBound * 1_000 }), .integers(ranges.map { $0.upperBound * 1_000 }),
        ]
        return FleetQuestion(statement, parameters) { rows throws(DatabaseError) in
            guard rows.rowCount > 0 else { return nil }
            var times = [[TargetState: UInt64]](repeating: [:], count: ranges.count)
            for row in 0..<rows.rowCount where try !rows.isNull(row, 0) {
                let number = Int(clamping: try rows.integer(row, 0)) - 1
                guard times.indices.contains(number), let state = TargetState(rawValue: try rows.text(row, 1)) else {
                    continue
                }
                times[number][state] = UInt64(clamping: try rows.integer(row, 2) / 1_000)
            }
            return FleetStateTimes(times: times)
        }
    }
}
