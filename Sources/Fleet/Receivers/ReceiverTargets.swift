// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import JSON
package import Monitoring
internal import PostgreSQL

/// A declared target as far as messages show it.
package struct ReceiverTarget: Sendable, Hashable {
    /// What people call it; nil for a target without a name.
    package let name: String?
    /// The group that it is shown in.
    package let group: String?
    /// Its labels.
    package let tags: [String: String]

    /// Creates a value.
    package init(name: String?, group: String?, tags: [String: String]) {
        self.name = name
        self.group = group
        self.tags = tags
    }

    /// How many targets a question is about at most.
    package static let limit = 500

    /// Reads the targets with these ids that are declared, by id.
    package static func question(_ ids: [String]) -> FleetQuestion<[String: ReceiverTarget]> {
        FleetQuestion(statement, [.texts(ids)]) { rows throws(DatabaseError) in
            var targets: [String: ReceiverTarget] = [:]
            for row in 0..<rows.rowCount {
                let declaration = try? JSONReader.members(of: Array(try rows.text(row, 3).utf8))
                targets[try rows.text(row, 0)] = ReceiverTarget(
                    name: declaration?["name"].flatMap { try? JSONReader.text(of: $0) },
                    group: try rows.optionalText(row, 1),
                    tags: FleetTags.members(of: try rows.texts(row, 2).compactMap(\.self))
                )
            }
            return targets
        }
    }

    private static let statement = Statement(
        """
        SELECT t.id, t."group", t.tags, t.spec FROM targets t WHERE t.id = ANY($1::text[])
        """,
        name: "receiver_targets"
    )
}

/// What was or is wrong with targets of the fleet, as changes of their states.
package enum FleetProblems {
    /// How many targets ``current`` lists at most.
    package static let limit = 10_000

    private static let problems = "'degraded', 'down', 'unreachable'"

    /// Of each of some targets the last change to a judgement up to a number, if that was not `up`; oldest first.
    ///
    /// - Parameter targets: at most ``ReceiverTarget/limit`` ids.
    package static func question(of targets: [String], through sequence: UInt64) -> FleetQuestion<[RecordedEvent]> {
        FleetQuestion(past, [.texts(targets), .integer(Int64(clamping: sequence))], read: events)
    }

    /// What is wrong now; the events have the number of the newest one.
    package static let current = FleetQuestion(present, read: events)

    private static let past = Statement(
        """
        SELECT h.epoch, h.seq, 1, '-', \(LogPage.columns)
        FROM log_head h LEFT JOIN (
          SELECT e.* FROM unnest($1::text[]) AS c(target) CROSS JOIN LATERAL (
            SELECT * FROM log WHERE target = c.target AND to_state IS NOT NULL AND to_state IN ('up', \(problems))
              AND seq <= $2::bigint ORDER BY seq DESC LIMIT 1) e
          WHERE e.to_state <> 'up') l ON true
        ORDER BY l.seq
        """,
        name: "receiver_problems"
    )

    private static let present = Statement(
        """
        SELECT h.epoch, h.seq, 1, '-', \(LogPage.columns)
        FROM log_head h LEFT JOIN (
          SELECT (SELECT seq FROM log_head) AS seq, v.since AS at, 'state' AS type, v.target, t."group", t.tags,
            'unknown' AS from_state, v.state AS to_state, v.reason, v.cause, now()::date AS day,
            json_build_object('reason', json_build_object('code', v.reason, 'detail', v.detail))::text AS data
          FROM verdicts v JOIN targets t ON t.id = v.target WHERE v.state IN (\(problems))
          ORDER BY v.since, v.target LIMIT \(limit)) l ON true
        ORDER BY l.at
        """,
        name: "fleet_problems"
    )

    private static func events(_ rows: DatabaseRows) throws(DatabaseError) -> [RecordedEvent] {
        rows.rowCount == 0 ? [] : try LogPage(rows, after: 0, limit: 0).events
    }
}
