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

    private static let statement = Statement(
        """
        WITH g AS MATERIALIZED (SELECT declared + 1 AS version, seq FROM log_head FOR UPDATE),
        t AS MATERIALIZED (
          SELECT \(DatabaseClock.now) AS now, (clock_timestamp() AT TIME ZONE 'UTC')::date AS today FROM g),
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
        z AS (DELETE FROM disagreements USING u WHERE target = u.id),
        h AS (
          UPDATE log_head SET declared = g.version, seq = log_head.seq + 1, stamp = $8::bigint,
            day = greatest(day, t.today)
          FROM g, t, o RETURNING log_head.seq, log_head.day),
        e AS (
          INSERT INTO log (day, seq, stamp, at, recorded, type, target, "group", tags, from_state, to_state, reason, cause,
            data)
          SELECT h.day, h.seq, $8::bigint, t.now, t.now, 'state', $1::text, o."group", o.tags, o.state, $3::text, $5::text,
            $4::text, json_strip_nulls(json_build_object('target', $1::text, 'from', o.state, 'to', $3::text,
              'reason', json_build_object('code', $5::text, 'detail', $6::text), 'cause', $4::text,
              'previous_since', \(DatabaseClock.text("o.since")), 'at', \(DatabaseClock.text("t.now"))))::text
          FROM h, t, o)
        SELECT EXISTS (SELECT FROM targets WHERE id = $1::text), EXISTS (SELECT FROM u),
          (SELECT \(FleetChannel.log.notify("h.seq::text")) FROM h) IS NULL
        """,
        name: "pause"
    )
}
