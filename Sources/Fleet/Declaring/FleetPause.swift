// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
internal import PostgreSQL

/// Pauses a target of the fleet, or resumes it, whichever nodes watch it.
///
/// The verdict and its event are written with the declaration, in one statement that locks `log_head` first: the coordinator leaves
/// paused targets alone. Nodes stop and resume their probes with the next renewal of their leases. After the resumption the votes
/// of before do not count.
package enum FleetPause {
    /// What became of the request.
    package enum Outcome: Sendable, Hashable {
        case done
        /// The target was in the wanted state already.
        case unchanged
        case unknownTarget
    }

    /// Asks for the change.
    ///
    /// - Parameters:
    ///   - isPaused: whether the target is to be paused.
    ///   - target: the target's id.
    package static func question(_ isPaused: Bool, target: String) -> FleetQuestion<Outcome> {
        let state: TargetState = isPaused ? .paused : .unknown
        let reason = isPaused ? StateReason.paused : StateReason(path: nil)
        let parameters: [DatabaseValue] = [
            .text(target), .bool(isPaused), .text(state.rawValue), (reason?.cause?.rawValue).map { .text($0) } ?? .null,
            (reason?.code.rawValue).map { .text($0) } ?? .null, .text(reason?.detail ?? ""),
            .text((isPaused ? FleetVerdictRule.suspended : .noLocation).rawValue),
            .integer(.random(in: 0 ... .max)),
        ]
        return FleetQuestion(statement, parameters) { rows throws(DatabaseError) in
            guard try rows.bool(0, 0) else { return .unknownTarget }
            return try rows.bool(0, 1) ? .done : .unchanged
        }
    }

    private static let numbering = LogClauses.number(
        stamp: "$8",
        head: ["declared = CASE WHEN EXISTS (SELECT FROM x) THEN g.version ELSE declared END"],
        columns: [
            "at": "h.now", "type": "'state'", "target": "$1::text", "\"group\"": "x.\"group\"", "tags": "x.tags",
            "from_state": "x.state", "to_state": "$3::text", "reason": "$5::text", "cause": "$4::text",
            "data": """
            json_strip_nulls(json_build_object('target', $1::text, 'from', x.state, 'to', $3::text,
              'reason', json_build_object('code', $5::text, 'detail', $6::text), 'cause', $4::text,
              'previous_since', \(DatabaseClock.text("x.since")), 'at', \(DatabaseClock.text("h.now"))))::text
            """,
        ]
    )

    private static let statement = Statement(
        """
        WITH g AS MATERIALIZED (SELECT declared + 1 AS version, seq FROM log_head FOR UPDATE),
        \(LogClauses.time),
        u AS (
          UPDATE targets SET paused = $2::boolean, version = g.version FROM g
          WHERE id = $1::text AND paused <> $2::boolean RETURNING id, "group", tags),
        o AS MATERIALIZED (
          SELECT v.state, v.since, u."group", u.tags FROM verdicts v JOIN u ON v.target = u.id FOR UPDATE OF v),
        v AS (
          UPDATE verdicts SET n = n + 1, state = $3::text, cause = $4::text, reason = $5::text, detail = $6::text,
            since = t.now, rule = $7::text
          FROM o, t WHERE target = $1::text),
        d AS (DELETE FROM votes USING u WHERE target = u.id),
        b AS (DELETE FROM heartbeats USING u WHERE target = u.id),
        z AS (DELETE FROM disagreements USING u WHERE target = u.id),
        x AS MATERIALIZED (SELECT o.*, 1 AS number FROM o),
        \(numbering)
        SELECT EXISTS (SELECT FROM targets WHERE id = $1::text), EXISTS (SELECT FROM u),
          (SELECT \(LogClauses.notification) FROM h) IS NULL
        """,
        name: "pause"
    )
}
