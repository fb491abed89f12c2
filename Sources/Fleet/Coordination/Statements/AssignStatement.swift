// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// Writes changes of the assignments in one statement under the coordinator's guard.
///
/// No row is returned, and nothing is written, when another node has become the coordinator.
struct AssignStatement {
    let identity: NodeIdentity
    /// The coordinator's token.
    let token: Int64
    let lease: Duration
    /// The assignments' new version, which is the new owners' token.
    let version: Int64
    let changes: [AssignmentChange]

    static let statement = Statement(
        """
        WITH g AS MATERIALIZED (
          SELECT FROM log_head WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint
            AND assignment < $5::bigint FOR UPDATE),
        t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now FROM g),
        a AS (
          INSERT INTO assignments AS a (placement, shard, location, node, token, since)
          SELECT u.*, t.now FROM unnest($6::int[], $7::int[], $8::text[], $9::text[], $10::bigint[])
            AS u(placement, shard, location, node, token), t
          ON CONFLICT (placement, shard, location) DO UPDATE SET node = excluded.node, token = excluded.token,
            since = CASE WHEN a.node IS NULL THEN a.since ELSE excluded.since END)
        UPDATE log_head SET assignment = $5::bigint, until = t.now + $4::bigint FROM g, t RETURNING t.now
        """,
        name: "assign_shards"
    )

    /// The values of `$1` to `$10`.
    var parameters: [DatabaseValue] {
        [
            .text(identity.name), .integer(identity.incarnation), .integer(token), .integer(lease.microseconds),
            .integer(version), .integers(changes.map { Int64($0.key.shard.placement) }),
            .integers(changes.map { Int64($0.key.shard.number) }), .texts(changes.map(\.key.location)),
            .texts(changes.map { $0.assignment?.node }), .integers(changes.map { _ in version }),
        ]
    }
}
