// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

/// Writes what a round decided, in one statement under the coordinator's guard.
///
/// No row is returned, and nothing is written, when another node has become the coordinator. The head of the log is locked first,
/// as by all statements that write verdicts or events.
struct WriteStatement {
    let identity: NodeIdentity
    /// The coordinator's token.
    let token: Int64
    let lease: Duration
    /// A random number that identifies the newest event among those of a database that lost data.
    let stamp: Int64
    let changes: RoundChanges

    private static let numbering = LogClauses.number(
        stamp: "$44",
        head: ["until = t.now + $4::bigint", "disputes = g.disputes + cardinality($34::text[])"],
        columns: [
            "at": "x.at", "type": "x.type", "target": "x.target", "\"group\"": "x.\"group\"", "tags": "x.tags::text[]",
            "from_state": "x.from_state", "to_state": "x.to_state", "reason": "x.reason", "cause": "x.cause",
            "data": "x.data",
        ]
    )

    static let statement = Statement(
        """
        WITH g AS MATERIALIZED (
          SELECT seq, disputes FROM log_head
          WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint FOR UPDATE),
        \(LogClauses.time),
        d AS (DELETE FROM inbox USING g WHERE id = ANY($5::bigint[])),
        v AS (
          INSERT INTO votes (target, location, state, cause, reason, detail, since, token, node, fault)
          SELECT u.* FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[],
            $13::bigint[], $14::text[], $45::text[])
            AS u(target, location, state, cause, reason, detail, since, token, node, fault), g
          ON CONFLICT (target, location) DO UPDATE SET state = excluded.state, cause = excluded.cause,
            reason = excluded.reason, detail = excluded.detail, since = excluded.since, token = excluded.token,
            node = excluded.node, fault = excluded.fault),
        f AS MATERIALIZED (
          SELECT f.* FROM unnest($15::text[], $16::bigint[], $17::text[], $18::text[], $19::text[], $20::text[],
            $21::bigint[], $22::text[]) AS f(target, before, state, cause, reason, detail, since, rule), g),
        w AS (
          UPDATE verdicts SET n = verdicts.n + 1, state = f.state, cause = f.cause, reason = f.reason,
            detail = f.detail, since = f.since, rule = f.rule
          FROM f WHERE verdicts.target = f.target AND verdicts.n = f.before RETURNING verdicts.target),
        x AS MATERIALIZED (
          SELECT x.*, row_number() OVER (ORDER BY x.o) AS number
          FROM unnest($23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[], $29::text[],
            $30::text[], $31::text[], $32::bigint[], $33::boolean[]) WITH ORDINALITY
            AS x(target, type, "group", tags, from_state, to_state, reason, cause, data, at, guarded, o), g
          WHERE NOT x.guarded OR x.target IN (SELECT target FROM w)),
        \(numbering),
        a AS (
          INSERT INTO disagreements (target, placement, shard, since, due, number)
          SELECT u.target, u.placement, u.shard, u.since, u.due, g.disputes + u.number
          FROM unnest($34::text[], $35::int[], $36::int[], $37::bigint[], $38::bigint[]) WITH ORDINALITY
            AS u(target, placement, shard, since, due, number), g
          ON CONFLICT (target) DO UPDATE SET placement = excluded.placement, shard = excluded.shard,
            since = excluded.since, due = excluded.due),
        z AS (DELETE FROM disagreements USING g WHERE target = ANY($39::text[])),
        c AS (
          UPDATE assignments SET confirmed = u.token
          FROM unnest($40::int[], $41::int[], $42::text[], $43::bigint[]) AS u(placement, shard, location, token), g
          WHERE assignments.placement = u.placement AND assignments.shard = u.shard
            AND assignments.location = u.location AND assignments.token = u.token)
        SELECT h.now, h.seq, h.seq - h.base AS events, (SELECT count(*) FROM w) AS verdicts,
          \(LogClauses.notification)
        FROM h
        """,
        name: "write_round"
    )

    /// The values of `$1` to `$45`.
    var parameters: [DatabaseValue] {
        [
            .text(identity.name), .integer(identity.incarnation), .integer(token), .integer(lease.microseconds),
            .integers(changes.inboxIDs),
        ] + votes + verdicts + events + disagreements + confirmed + [.integer(stamp), faults]
    }

    private var votes: [DatabaseValue] {
        let votes = changes.votes
        return [
            .texts(votes.map(\.target)), .texts(votes.map(\.location)),
            .texts(votes.map(\.vote.content.state.rawValue)), .texts(votes.map(\.vote.content.cause?.rawValue)),
            .texts(votes.map(\.vote.content.reason)), .texts(votes.map(\.vote.content.detail)),
            .integers(votes.map(\.vote.content.since.microseconds)), .integers(votes.map(\.vote.token)),
            .texts(votes.map(\.vote.node)),
        ]
    }

    private var faults: DatabaseValue {
        .texts(
            changes.votes.map { change in
                change.vote.content.fault.map { StorableText.text(String(decoding: $0.stored, as: UTF8.self)) }
            }
        )
    }

    private var verdicts: [DatabaseValue] {
        let verdicts = changes.verdicts
        return [
            .texts(verdicts.map(\.target)), .integers(verdicts.map(\.verdict.version)),
            .texts(verdicts.map(\.verdict.state.rawValue)), .texts(verdicts.map(\.verdict.cause?.rawValue)),
            .texts(verdicts.map(\.verdict.reason)), .texts(verdicts.map(\.verdict.detail)),
            .integers(verdicts.map(\.verdict.since.microseconds)), .texts(verdicts.map(\.verdict.rule)),
        ]
    }

    private var events: [DatabaseValue] {
        let entries = changes.entries
        let events = entries.map(\.state)
        return [
            .texts(entries.map(\.target)), .texts(entries.map(\.type.rawValue)), .texts(entries.map(\.group)),
            .texts(entries.map(\.tags)), .texts(events.map(\.?.from.rawValue)), .texts(events.map(\.?.to.rawValue)),
            .texts(events.map { $0?.reason }), .texts(events.map { $0?.cause?.rawValue }), .texts(entries.map(\.data)),
            .integers(entries.map(\.at.microseconds)), .booleans(events.map { $0 != nil }),
        ]
    }

    private var disagreements: [DatabaseValue] {
        let begun = changes.disagreements
        return [
            .texts(begun.map(\.target)), .integers(begun.map { Int64($0.shard.placement) }),
            .integers(begun.map { Int64($0.shard.number) }), .integers(begun.map(\.since.microseconds)),
            .integers(begun.map { $0.due?.microseconds ?? .max }), .texts(changes.agreed),
        ]
    }

    private var confirmed: [DatabaseValue] {
        let keys = changes.confirmed.keys.sorted()
        return [
            .integers(keys.map { Int64($0.shard.placement) }), .integers(keys.map { Int64($0.shard.number) }),
            .texts(keys.map(\.location)), .integers(keys.map { changes.confirmed[$0] }),
        ]
    }
}

/// What the database reports of a written round.
struct WriteResult: Sendable, Hashable {
    /// The database's time.
    let now: Duration
    /// The number of the newest event.
    let sequence: Int64
    /// How many events were written.
    let events: Int
    /// How many verdicts were replaced; the others were not those that the decision was based on.
    let verdicts: Int

    /// - Throws: `unexpected_answer` for a row of another form.
    init(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) {
        now = Duration(microseconds: try rows.integer(row, 0))
        sequence = try rows.integer(row, 1)
        events = Int(clamping: try rows.integer(row, 2))
        verdicts = Int(clamping: try rows.integer(row, 3))
    }
}
