// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// The statements about declared targets.
///
/// Each that writes locks `log_head` first, as all do that write `verdicts` or `log`: in another order two of them could deadlock.
enum DeclarationStatements {
    /// The version of all declarations, the stored settings, and what is stored about a source ($1).
    static let head = Statement(
        """
        SELECT h.declared, h.settings, s.version, s.digest, s.host, s.applied_at
        FROM log_head h LEFT JOIN sources s ON s.name = $1::text
        """,
        name: "declaration head"
    )

    /// The columns of `targets t` and `placements p` that a stored declaration is read from.
    static let stored = """
        t.id, t.source, t.spec, p.watchers, p.quorum, p.locations, t."interval", t.partial_up, t."group", t.tags,
          ARRAY(SELECT parent FROM dependencies WHERE child = t.id ORDER BY parent)
        """
    /// The number of these columns.
    static let storedCount = 11

    /// A page of stored targets after an id ($1), in order of the ids; $2: the number.
    static let page = Statement(
        """
        SELECT \(stored) FROM targets t JOIN placements p ON p.id = t.placement
        WHERE t.id > $1 ORDER BY t.id LIMIT $2
        """,
        name: "stored targets"
    )

    /// Adds placements that do not exist ($1 watchers, $2 quorum, $3 locations as array literals) and returns all; $4: the number of
    /// all that can exist.
    static let placements = Statement(
        """
        WITH n AS (
          INSERT INTO placements (watchers, quorum, locations)
          SELECT u.watchers, u.quorum, u.locations::text[]
          FROM unnest($1::integer[], $2::integer[], $3::text[]) AS u(watchers, quorum, locations)
          WHERE NOT EXISTS (SELECT FROM placements p WHERE p.watchers = u.watchers AND p.quorum = u.quorum
            AND p.locations = u.locations::text[])
          LIMIT greatest(0, $4::bigint - (SELECT count(*) FROM placements))
          ON CONFLICT (watchers, quorum, locations) DO NOTHING
          RETURNING id, watchers, quorum, locations)
        SELECT id, watchers, quorum, locations FROM n
        UNION ALL SELECT id, watchers, quorum, locations FROM placements
        """,
        name: "placements"
    )

    private static let numbering = LogClauses.number(
        stamp: "$20",
        head: [
            "declared = g.version", "settings = coalesce($13::text, settings)",
            "settings_version = settings_version + CASE WHEN $13::text IS NULL THEN 0 ELSE 1 END",
        ],
        columns: [
            "at": "h.now", "type": "x.type", "target": "x.target", "\"group\"": "x.name", "tags": "x.tags::text[]",
            "data": "x.data || ',\"at\":\"' || \(DatabaseClock.text("h.now")) || '\"}'",
        ]
    )

    /// Writes a change in one transaction: $1 the source, or NULL for API clients; of added and changed targets $2 id, $3 placement,
    /// $4 shard, $5 declaration, $6 interval, $7 partial, $8 group, $9 tags as array literals; $10 the ids of removed ones;
    /// dependencies $11 parent, $12 child; $13 the settings or NULL; $14 the version that the change was made for; of events $15
    /// type, $16 target, $17 group, $18 tags as array literals, $19 data without its end; $20 the stamp of the newest; of the source
    /// $21 version, $22 digest, $23 host. A changed declaration begins without a heartbeat, as on one node. Returns no row when the version is outdated: a statement that waited for the lock sees the
    /// tables as they were before.
    static let apply = Statement(
        """
        WITH g AS MATERIALIZED (SELECT declared + 1 AS version, seq FROM log_head WHERE declared = $14 FOR UPDATE),
        \(LogClauses.time),
        u AS MATERIALIZED (
          SELECT u.* FROM unnest($2::text[], $3::integer[], $4::integer[], $5::text[], $6::bigint[], $7::boolean[], $8::text[],
            $9::text[]) AS u(id, placement, shard, spec, period, partial_up, name, tags), g),
        i AS (
          INSERT INTO targets (id, placement, shard, spec, origin, source, version, "interval", partial_up, "group", tags)
          SELECT u.id, u.placement, u.shard, u.spec, CASE WHEN $1::text IS NULL THEN 'api' ELSE 'file' END, $1::text, g.version,
            u.period, u.partial_up, u.name, u.tags::text[] FROM u, g
          ON CONFLICT (id) DO UPDATE SET placement = excluded.placement, shard = excluded.shard, spec = excluded.spec,
            version = excluded.version, "interval" = excluded."interval", partial_up = excluded.partial_up,
            "group" = excluded."group", tags = excluded.tags),
        v AS (
          INSERT INTO verdicts (target, state, cause, since, rule)
          SELECT u.id, 'unknown', 'self', t.now, 'no_location' FROM u, t ON CONFLICT (target) DO NOTHING),
        r AS (DELETE FROM targets USING g WHERE id = ANY($10::text[]) AND source IS NOT DISTINCT FROM $1::text RETURNING id),
        rv AS (DELETE FROM verdicts USING r WHERE verdicts.target = r.id),
        rw AS (DELETE FROM votes USING r WHERE votes.target = r.id),
        rd AS (DELETE FROM disagreements USING r WHERE disagreements.target = r.id),
        ub AS (DELETE FROM heartbeats USING u WHERE heartbeats.target = u.id),
        y AS MATERIALIZED (SELECT y.* FROM unnest($11::text[], $12::text[]) AS y(parent, child), g),
        d AS (
          DELETE FROM dependencies USING g WHERE (child = ANY($2::text[]) OR child = ANY($10::text[]))
            AND NOT EXISTS (SELECT FROM y WHERE y.parent = dependencies.parent AND y.child = dependencies.child)),
        n AS (INSERT INTO dependencies SELECT parent, child FROM y ON CONFLICT DO NOTHING),
        o AS (
          INSERT INTO sources (name, version, digest, host, applied_at)
          SELECT $1::text, $21::bigint, $22::text, $23::text, t.now FROM t WHERE $1::text IS NOT NULL
          ON CONFLICT (name) DO UPDATE SET version = excluded.version, digest = excluded.digest, host = excluded.host,
            applied_at = excluded.applied_at),
        x AS MATERIALIZED (
          SELECT x.* FROM unnest($15::text[], $16::text[], $17::text[], $18::text[], $19::text[]) WITH ORDINALITY
            AS x(type, target, name, tags, data, number), g),
        \(numbering)
        SELECT h.seq, \(LogClauses.notification), \(FleetChannel.work.notify()) FROM h
        """,
        name: "apply"
    )
}
