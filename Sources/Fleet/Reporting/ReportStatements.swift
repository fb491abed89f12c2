// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The statements that store a node's reports. Each is one transaction.
enum ReportStatements {
    /// Stores reports above the stored position and moves it, in one transaction: `$1` name, `$2` incarnation, `$3` local epoch, then
    /// arrays of one length: `$4` local, `$5` kind, `$6` placement, `$7` shard, `$8` location, `$9` token, `$10` target, `$11` state,
    /// `$12` cause, `$13` reason, `$14` detail, `$15` since, `$16` at, `$17` data; `$18` whether to notify. Returns the position, or no row for
    /// another incarnation or epoch.
    static let report = Statement(
        """
        WITH m AS MATERIALIZED (
          SELECT reported FROM nodes
          WHERE name = $1::text AND incarnation = $2::bigint AND epoch = $3::text FOR UPDATE),
        v AS MATERIALIZED (
          SELECT r.* FROM unnest($4::bigint[], $5::text[], $6::int[], $7::int[], $8::text[], $9::bigint[], $10::text[],
              $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[], $16::bigint[], $17::text[])
            AS r(local, kind, placement, shard, location, token, target, state, cause, reason, detail, since, at, data), m
          WHERE r.local > m.reported),
        i AS (
          INSERT INTO inbox (node, local, kind, placement, shard, location, token, target, state, cause, reason, detail,
            since, at, data)
          SELECT $1::text, v.* FROM v ORDER BY v.local)
        UPDATE nodes SET reported = greatest(m.reported, coalesce((SELECT max(local) FROM v), 0))
        FROM m WHERE name = $1::text AND incarnation = $2::bigint
        RETURNING nodes.reported, CASE WHEN $18::boolean THEN \(FleetChannel.work.notify()) END
        """,
        name: "store_reports"
    )

    /// Begins an epoch of the local log, unless it is the stored one: `$1` name, `$2` incarnation, `$3` local epoch, `$4` the highest
    /// position that the log can have reported. A stored position above it is of a log that no longer exists. Returns the position,
    /// or no row for another incarnation.
    static let beginEpoch = Statement(
        """
        UPDATE nodes SET epoch = $3::text,
          reported = CASE WHEN epoch = $3::text AND reported <= $4::bigint THEN reported ELSE 0 END
        WHERE name = $1::text AND incarnation = $2::bigint RETURNING reported
        """,
        name: "begin_local_epoch"
    )
}
