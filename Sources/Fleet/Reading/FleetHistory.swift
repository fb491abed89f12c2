// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
internal import PostgreSQL

/// The history of a target of the fleet: changes of its state, from the fleet's log.
package struct FleetHistory: Sendable {
    /// The events, newest first.
    package let events: [RecordedEvent]
    /// The number of the last event of a page that is not the last one.
    package let next: UInt64?
    /// The run of the log.
    package let epoch: String

    /// Reads changes of a target's state, newest first; nil for an unknown target.
    ///
    /// - Parameters:
    ///   - target: the target's id.
    ///   - sequence: events before this number.
    ///   - from: not observed before this moment.
    ///   - to: observed before this moment.
    ///   - limit: the maximum number of events.
    package static func question(
        of target: String,
        before sequence: UInt64,
        from: Timestamp?,
        to: Timestamp?,
        limit: Int
    ) -> FleetQuestion<FleetHistory?> {
        // Each partition has an index by target and number, so that the newest rows are found without a sort.
        let statement = Statement(
            """
            SELECT h.epoch, h.seq, 1, '-', \(LogPage.columns)
            FROM log_head h JOIN targets t ON t.id = $1::text LEFT JOIN LATERAL (
              SELECT * FROM log WHERE target = $1::text AND to_state IS NOT NULL AND seq < $2::bigint
                AND at >= $3::bigint AND at < $4::bigint ORDER BY seq DESC LIMIT $5::bigint) l ON true
            ORDER BY l.seq DESC
            """,
            name: "history"
        )
        let parameters: [DatabaseValue] = [
            .text(target), .integer(Int64(clamping: sequence)), .integer(from.map(microseconds) ?? .min),
            .integer(to.map(microseconds) ?? .max), .integer(Int64(limit) + 1),
        ]
        return FleetQuestion(statement, parameters) { rows throws(DatabaseError) in
            guard rows.rowCount > 0 else { return nil }
            let page = try LogPage(rows, after: 0, limit: 0)
            // Rows that cannot be read take their place, too: older ones may follow them.
            let last = rows.rowCount > limit ? UInt64(clamping: try rows.count(limit - 1, 4)) : nil
            return FleetHistory(
                events: last.map { last in page.events.filter { $0.sequence >= last } } ?? page.events,
                next: last,
                epoch: page.epoch
            )
        }
    }

    private static func microseconds(_ moment: Timestamp) -> Int64 {
        let (product, overflow) = moment.milliseconds.multipliedReportingOverflow(by: 1_000)
        return overflow ? (moment.milliseconds < 0 ? .min : .max) : product
    }
}

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

/// How many targets of the fleet are in each state.
package struct FleetSummary: Sendable {
    /// The versions of what was counted.
    package let version: FleetVersion
    /// The number of targets in each state.
    package let states: [TargetState: Int]

    /// The number of all targets.
    package var total: Int { states.values.reduce(0, +) }

    /// Counts the targets.
    package static var question: FleetQuestion<FleetSummary> {
        let statement = Statement(
            """
            SELECT \(FleetVersion.columns), s.state, s.count
            FROM log_head h LEFT JOIN (SELECT state, count(*) AS count FROM verdicts GROUP BY state) s ON true
            """,
            name: "summary"
        )
        return FleetQuestion(statement) { rows throws(DatabaseError) in
            var states: [TargetState: Int] = [:]
            for row in 0..<rows.rowCount where try !rows.isNull(row, FleetVersion.count) {
                states[TargetState(rawValue: try rows.text(row, FleetVersion.count)) ?? .unknown, default: 0] +=
                    Int(clamping: try rows.count(row, FleetVersion.count + 1))
            }
            return FleetSummary(version: try FleetVersion(rows, 0), states: states)
        }
    }
}
