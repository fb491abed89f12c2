// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
internal import PostgreSQL

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
