// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The statements with which a node stores its buckets.
enum RollupStatements {
    /// Up to where the buckets of the node $1 are stored, by their length.
    static let positions = Statement(
        "SELECT length, through FROM rollup_positions WHERE node = $1::text",
        name: "rollup_positions"
    )

    /// Stores buckets of the length $3 that begin at $4, of the run $2 of the node $1: the targets $5 and their data $6. Up to $7,
    /// unless it is NULL, all are stored then.
    ///
    /// Repeating it changes nothing. Targets that the fleet does not have are left out. Returns whether the month has a partition,
    /// whether the run is the node's, and the number of stored buckets.
    static let store = Statement(
        """
        WITH n AS MATERIALIZED (SELECT name, location FROM nodes WHERE name = $1::text AND incarnation = $2::bigint),
        m AS MATERIALIZED (
          SELECT month, to_regclass('rollups_' || to_char(month, 'YYYYMM')) IS NOT NULL AS has_partition
          FROM (SELECT date_trunc('month', to_timestamp($4::bigint / 1000000) AT TIME ZONE 'UTC')::date AS month) x),
        u AS MATERIALIZED (
          SELECT m.month, n.location, u.target, n.name AS node, u.data
          FROM unnest($5::text[], $6::bytea[]) AS u(target, data) JOIN targets t ON t.id = u.target, n, m
          WHERE m.has_partition),
        s AS (
          INSERT INTO rollups (month, target, length, start, location, node, data)
          SELECT month, target, $3::bigint, $4::bigint, location, node, data FROM u
          ON CONFLICT (target, length, start, location, node, month) DO UPDATE SET data = excluded.data
            WHERE rollups.data <> excluded.data),
        p AS (
          INSERT INTO rollup_positions (node, length, through)
          SELECT n.name, $3::bigint, $7::bigint FROM n, m WHERE m.has_partition AND $7::bigint IS NOT NULL
          ON CONFLICT (node, length) DO UPDATE SET through = excluded.through)
        SELECT m.has_partition, EXISTS (SELECT FROM n), (SELECT count(*) FROM u) FROM m
        """,
        name: "store_rollups"
    )
}
