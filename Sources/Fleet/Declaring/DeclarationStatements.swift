// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// The statements about declared targets.
///
/// Each that writes locks `log_head` first, as all do that write `verdicts` or `log`: in another order two of them could deadlock.
enum DeclarationStatements {
    /// The version of all declarations and the stored settings.
    static let head = Statement("SELECT declared, settings FROM log_head", name: "declaration head")

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

    /// Writes a change in one transaction: $1 the source, or NULL for API clients; of added and changed targets $2 id, $3 placement,
    /// $4 shard, $5 declaration, $6 interval, $7 partial, $8 group, $9 tags as array literals; $10 the ids of removed ones;
    /// dependencies $11 parent, $12 child; $13 the settings or NULL; $14 the version that the change was made for; of events $15
    /// target, $16 group, $17 tags as array literals, $18 data without its end; $19 the stamp of the newest. Returns no row when the
    /// version is outdated: a statement that waited for the lock sees the tables as they were before.
    static let apply = Statement(
        """
        WITH g AS MATERIALIZED (SELECT declared + 1 AS version, seq FROM log_head WHERE declared = $14 FOR UPDATE),
        t AS MATERIALIZED (
          SELECT \(DatabaseClock.now) AS now, (clock_timestamp() AT TIME ZONE 'UTC')::date AS today FROM g),
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
        y AS MATERIALIZED (SELECT y.* FROM unnest($11::text[], $12::text[]) AS y(parent, child), g),
        d AS (
          DELETE FROM dependencies USING g WHERE (child = ANY($2::text[]) OR child = ANY($10::text[]))
            AND NOT EXISTS (SELECT FROM y WHERE y.parent = dependencies.parent AND y.child = dependencies.child)),
        n AS (INSERT INTO dependencies SELECT parent, child FROM y ON CONFLICT DO NOTHING),
        x AS MATERIALIZED (
          SELECT x.* FROM unnest($15::text[], $16::text[], $17::text[], $18::text[]) WITH ORDINALITY
            AS x(target, name, tags, data, number), g),
        h AS (
          UPDATE log_head SET declared = g.version, settings = coalesce($13::text, settings),
            settings_version = settings_version + CASE WHEN $13::text IS NULL THEN 0 ELSE 1 END,
            seq = log_head.seq + (SELECT count(*) FROM x),
            stamp = CASE WHEN EXISTS (SELECT FROM x) THEN $19::bigint ELSE stamp END,
            day = CASE WHEN EXISTS (SELECT FROM x) THEN greatest(day, t.today) ELSE day END
          FROM g, t RETURNING log_head.declared, log_head.seq, g.seq AS base, log_head.day, t.now),
        e AS (
          INSERT INTO log (day, seq, stamp, at, recorded, type, target, "group", tags, data)
          SELECT h.day, h.base + x.number, $19::bigint, h.now, h.now, 'target', x.target, x.name, x.tags::text[],
            x.data || ',"at":"' || \(DatabaseClock.text("h.now")) || '"}'
          FROM x, h)
        SELECT h.declared, CASE WHEN h.seq > h.base THEN \(FleetChannel.log.notify("h.seq::text")) END,
          \(FleetChannel.work.notify())
        FROM h
        """,
        name: "apply"
    )

    /// The targets that are assigned to a node ($1), a page after an ordinal ($2); $3: the number. The last column is the state that the
    /// node's location reported last, by this node or by the one before.
    static let assigned = Statement(
        """
        SELECT t.ordinal, t.id, t.spec, t.placement, t.shard, a.token, t.origin = 'api', v.state
        FROM assignments a JOIN targets t ON t.placement = a.placement AND t.shard = a.shard
        LEFT JOIN votes v ON v.target = t.id AND v.location = a.location
        WHERE a.node = $1 AND t.ordinal > $2 AND NOT t.paused ORDER BY t.ordinal LIMIT $3
        """,
        name: "assigned targets"
    )
}
