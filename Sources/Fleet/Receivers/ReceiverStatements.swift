// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// The statements about receivers of notifications. Each is one transaction.
enum ReceiverStatements {
    /// All receivers.
    static let all = Statement("SELECT name, digest, node, since FROM receivers", name: "receivers")

    /// Assigns receivers under the coordinator's guard: `$1` name, `$2` incarnation, `$3` token of the coordinator; `$4` names, `$5`
    /// digests, `$6` nodes; `$7` names of those to forget. A new receiver begins behind the newest event. Returns the database's time,
    /// or no row when another node has become the coordinator.
    static let assign = Statement(
        """
        WITH g AS MATERIALIZED (
          SELECT seq FROM log_head WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint FOR UPDATE),
        t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now, g.seq FROM g),
        d AS (DELETE FROM receivers USING t WHERE name = ANY($7::text[])),
        i AS (
          INSERT INTO receivers AS r (name, digest, node, token, since, consumed)
          SELECT u.name, u.digest, u.node, t.now, t.now, t.seq
          FROM unnest($4::text[], $5::text[], $6::text[]) AS u(name, digest, node), t
          ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, node = excluded.node,
            token = CASE WHEN r.node = excluded.node THEN r.token ELSE greatest(r.token + 1, excluded.token) END,
            since = CASE WHEN r.node = excluded.node THEN r.since ELSE excluded.since END)
        SELECT t.now FROM t
        """,
        name: "assign_receivers"
    )

    /// Stores what a node offers: `$1` name, `$2` incarnation, `$3` receivers.
    static let offer = Statement(
        "UPDATE nodes SET receivers = $3::text[] WHERE name = $1::text AND incarnation = $2::bigint RETURNING name",
        name: "offer_receivers"
    )

    /// Where a receiver is to be continued: `$1` name, `$2` node, `$3` token. No row: it is not this node's.
    static let position = Statement(
        """
        SELECT r.consumed, r.progress, h.epoch, h.seq, r.changes
        FROM receivers r CROSS JOIN log_head h
        WHERE r.name = $1::text AND r.node = $2::text AND r.token = $3::bigint
        """,
        name: "receiver_position"
    )

    /// Stores offsets under the receivers' tokens: `$1` node, `$2` incarnation, `$3` the epoch that the offsets belong to; `$4` names,
    /// `$5` tokens, `$6` offsets, `$7` progress, `$8` changes of it. Returns the names of those that were stored.
    ///
    /// A progress that is null stays, and is not written again. An offset behind the newest event belongs to a log of which events were
    /// lost.
    static let store = Statement(
        """
        UPDATE receivers r SET consumed = u.consumed, progress = coalesce(u.progress, r.progress), changes = u.changes,
          acknowledged = \(DatabaseClock.now)
        FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[])
            AS u(name, token, consumed, progress, changes),
          log_head h, nodes n
        WHERE r.name = u.name AND r.node = $1::text AND r.token = u.token AND h.epoch = $3::text
          AND u.consumed <= h.seq
          AND n.name = $1::text AND n.incarnation = $2::bigint
        RETURNING r.name
        """,
        name: "store_receivers"
    )
}
