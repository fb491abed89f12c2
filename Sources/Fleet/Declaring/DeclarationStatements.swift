// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// The statements about declared targets.
///
/// Each that writes locks `log_head` first, as all do that write `verdicts` or `log`: in another order two of them could deadlock.
enum DeclarationStatements {
    /// The version of all declarations and the stored settings.
    static let head = Statement("SELECT declared, settings FROM log_head", name: "declaration head")

    /// A page of stored targets after an id ($1), in order of the ids; $2: the number.
    static let page = Statement(
        """
        SELECT t.id, t.source, t.spec, p.watchers, p.quorum, p.locations, t."interval", t.partial_up, t."group", t.tags,
          ARRAY(SELECT parent FROM dependencies WHERE child = t.id ORDER BY parent)
        FROM targets t JOIN placements p ON p.id = t.placement
        WHERE t.id > $1 ORDER BY t.id LIMIT $2
        """,
        name: "stored targets"
    )

    /// Adds placements that do not exist ($1 watchers, $2 quorum, $3 locations as array literals) and returns all.
    static let placements = Statement(
        """
        WITH n AS (
          INSERT INTO placements (watchers, quorum, locations)
          SELECT u.watchers, u.quorum, u.locations::text[]
          FROM unnest($1::integer[], $2::integer[], $3::text[]) AS u(watchers, quorum, locations)
          ON CONFLICT (watchers, quorum, locations) DO NOTHING
          RETURNING id, watchers, quorum, locations)
        SELECT id, watchers, quorum, locations FROM n
        UNION ALL SELECT id, watchers, quorum, locations FROM placements
        """,
        name: "placements"
    )

    /// Writes a difference in one transaction: $1 the source; of added and changed targets $2 id, $3 placement, $4 shard, $5
    /// declaration, $6 interval, $7 partial, $8 group, $9 tags as array literals; $10 the ids of removed ones; dependencies $11 parent,
    /// $12 child; $13 the settings or NULL; $14 the version that the difference was made for. Returns no row when that is outdated.
    static let apply = Statement(
        """
        WITH g AS MATERIALIZED (SELECT declared + 1 AS version FROM log_head WHERE declared = $14 FOR UPDATE),
        t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now FROM g),
        u AS MATERIALIZED (
          SELECT u.* FROM unnest($2::text[], $3::integer[], $4::integer[], $5::text[], $6::bigint[], $7::boolean[], $8::text[],
            $9::text[]) AS u(id, placement, shard, spec, period, partial_up, name, tags), g),
        i AS (
          INSERT INTO targets (id, placement, shard, spec, origin, source, version, "interval", partial_up, "group", tags)
          SELECT u.id, u.placement, u.shard, u.spec, 'file', $1, g.version, u.period, u.partial_up, u.name, u.tags::text[] FROM u, g
          ON CONFLICT (id) DO UPDATE SET placement = excluded.placement, shard = excluded.shard, spec = excluded.spec,
            version = excluded.version, "interval" = excluded."interval", partial_up = excluded.partial_up,
            "group" = excluded."group", tags = excluded.tags),
        v AS (
          INSERT INTO verdicts (target, state, cause, since, rule)
          SELECT u.id, 'unknown', 'self', t.now, 'no_location' FROM u, t ON CONFLICT (target) DO NOTHING),
        r AS (DELETE FROM targets USING g WHERE id = ANY($10::text[]) AND source = $1 RETURNING id),
        rv AS (DELETE FROM verdicts USING r WHERE verdicts.target = r.id),
        rw AS (DELETE FROM votes USING r WHERE votes.target = r.id),
        rd AS (DELETE FROM disagreements USING r WHERE disagreements.target = r.id),
        x AS MATERIALIZED (SELECT x.* FROM unnest($11::text[], $12::text[]) AS x(parent, child), g),
        d AS (
          DELETE FROM dependencies USING g WHERE (child = ANY($2::text[]) OR child = ANY($10::text[]))
            AND NOT EXISTS (SELECT FROM x WHERE x.parent = dependencies.parent AND x.child = dependencies.child)),
        n AS (INSERT INTO dependencies SELECT parent, child FROM x ON CONFLICT DO NOTHING)
        UPDATE log_head SET declared = g.version, settings = coalesce($13::text, settings),
          settings_version = settings_version + CASE WHEN $13::text IS NULL THEN 0 ELSE 1 END
        FROM g RETURNING log_head.declared
        """,
        name: "apply"
    )

    /// The targets that are assigned to a node ($1), a page after an ordinal ($2); $3: the number.
    static let assigned = Statement(
        """
        SELECT t.ordinal, t.id, t.spec, t.placement, t.shard, a.token
        FROM assignments a JOIN targets t ON t.placement = a.placement AND t.shard = a.shard
        WHERE a.node = $1 AND t.ordinal > $2 AND NOT t.paused ORDER BY t.ordinal LIMIT $3
        """,
        name: "assigned targets"
    )
}
