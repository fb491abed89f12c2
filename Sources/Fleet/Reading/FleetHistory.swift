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
