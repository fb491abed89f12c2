// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Statements of nodes and of the coordinator, which together touch every table, with the types of their parameters.
enum NodeStatements {
    static let register = """
        WITH t AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now)
        INSERT INTO nodes AS n (name, incarnation, location, url, version, capacity, epoch, since, until, resumed)
        SELECT $1::text, 1, $2::text, $3::text, $4::text, $5::int, $6::text, t.now, t.now + $7::bigint, t.now FROM t
        ON CONFLICT (name) DO UPDATE SET
          incarnation = n.incarnation + 1, location = excluded.location, url = excluded.url, version =
            excluded.version,
          capacity = excluded.capacity, departed = false, since = excluded.since, until = excluded.until,
          resumed = CASE WHEN n.until > excluded.since THEN n.resumed ELSE excluded.since END,
          reported = CASE WHEN n.epoch = excluded.epoch THEN n.reported ELSE 0 END, epoch = excluded.epoch
        RETURNING incarnation, reported, until
        """

    static let renew = """
        WITH s AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
        t AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM s),
        u AS (
          UPDATE nodes SET until = CASE WHEN $9::boolean THEN t.now ELSE t.now + $3::bigint END, departed =
            $9::boolean,
            resumed = CASE WHEN nodes.until < t.now THEN t.now ELSE nodes.resumed END,
            backlog = $4::bigint, oldest = $5::bigint, skew = $6::bigint, round_trip = $7::bigint, network =
            $8::text
          FROM t WHERE nodes.name = $1::text AND nodes.incarnation = $2::bigint
          RETURNING t.now, nodes.reported, nodes.draining)
        SELECT u.now, u.reported, u.draining, h.identity, h.epoch, h.seq, h.stamp, h.assignment, h.declared,
            h.settings_version,
          h.token, h.coordinator, h.incarnation AS coordinator_incarnation, h.until < u.now AS vacant
        FROM u CROSS JOIN log_head h
        """

    static let report = """
        WITH m AS MATERIALIZED (SELECT reported FROM nodes WHERE name = $1::text AND incarnation = $2::bigint AND
            epoch = $3::text FOR UPDATE),
        v AS MATERIALIZED (
          SELECT r.* FROM unnest($4::bigint[], $5::text[], $6::int[], $7::int[], $8::text[], $9::bigint[],
            $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bigint[], $16::bigint[])
            AS r(local, kind, placement, shard, location, token, target, state, cause, reason, detail, since, at), m
          WHERE r.local > m.reported),
        i AS (
          INSERT INTO inbox (node, local, kind, placement, shard, location, token, target, state, cause, reason,
            detail, since, at)
          SELECT $1::text, v.* FROM v ORDER BY v.local)
        UPDATE nodes SET reported = greatest(m.reported, coalesce((SELECT max(local) FROM v), 0))
        FROM m WHERE name = $1::text AND incarnation = $2::bigint RETURNING nodes.reported
        """

    static let ownAssignments = """
        SELECT placement, shard, location, token, since, confirmed FROM assignments WHERE node = $1::text
        """

    static let claim = """
        WITH t AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now)
        UPDATE log_head SET coordinator = $1::text, incarnation = $2::bigint, token = log_head.token + 1, until =
            t.now + $3::bigint
        FROM t, nodes n
        WHERE log_head.until < t.now AND n.name = $1::text AND n.incarnation = $2::bigint AND n.until > t.now
        RETURNING t.now, log_head.token, log_head.epoch, log_head.seq, log_head.assignment, log_head.settings
        """

    static let keep = """
        WITH s AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)), t AS MATERIALIZED (SELECT
            (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM s)
        UPDATE log_head SET until = t.now + $4::bigint FROM t
        WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint
        RETURNING t.now, seq, assignment, declared, settings_version
        """

    static let nodes = """
        SELECT name, location, capacity, draining, departed, until, resumed, backlog, (extract(epoch FROM
            clock_timestamp()) * 1000000)::bigint AS now FROM nodes ORDER BY name
        """

    static let assignments = """
        SELECT placement, shard, location, node, token, since, confirmed FROM assignments
        """

    static let placements = """
        SELECT id, watchers, quorum, locations FROM placements ORDER BY id
        """

    static let shardSizes = """
        SELECT placement, shard, count(*) AS targets FROM targets GROUP BY placement, shard
        """

    static let inbox = """
        SELECT id, node, local, kind, placement, shard, location, token, target, state, cause, reason, detail,
            since, at
        FROM inbox WHERE id > $1::bigint ORDER BY id LIMIT $2::int
        """

    static let standing = """
        SELECT t.id, t.placement, t.shard, t."interval", t.partial_up, t.paused, t."group", t.tags,
          v.n, v.state, v.cause, v.reason, v.detail, v.since, d.since AS disagreeing
        FROM targets t JOIN verdicts v ON v.target = t.id LEFT JOIN disagreements d ON d.target = t.id WHERE t.id =
            ANY($1::text[])
        """

    static let votes = """
        SELECT target, location, state, cause, reason, detail, since, token, node FROM votes WHERE target =
            ANY($1::text[])
        """

    static let blockingParents = """
        SELECT DISTINCT ON (d.child) d.child, d.parent FROM dependencies d JOIN verdicts v ON v.target = d.parent
        WHERE d.child = ANY($1::text[]) AND v.state IN ('down', 'unreachable') ORDER BY d.child, d.parent
        """

    static let children = """
        SELECT DISTINCT child FROM dependencies WHERE parent = ANY($1::text[])
        """

    static let targetsOfShards = """
        SELECT t.id FROM targets t JOIN unnest($1::int[], $2::int[]) AS s(placement, shard) USING (placement, shard)
        WHERE t.id > $3::text ORDER BY t.id LIMIT $4::int
        """

    static let dueDisagreements = """
        SELECT target FROM disagreements WHERE due <= $1::bigint ORDER BY due LIMIT $2::int
        """

    static let write = """
        WITH g AS MATERIALIZED (
          SELECT seq FROM log_head WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint
            FOR UPDATE),
        t AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now,
            (clock_timestamp() AT TIME ZONE 'UTC')::date AS today FROM g),
        d AS (DELETE FROM inbox USING g WHERE id = ANY($5::bigint[])),
        v AS (
          INSERT INTO votes (target, location, state, cause, reason, detail, since, token, node)
          SELECT u.* FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
            $12::bigint[], $13::bigint[], $14::text[])
            AS u(target, location, state, cause, reason, detail, since, token, node), g
          ON CONFLICT (target, location) DO UPDATE SET state = excluded.state, cause = excluded.cause, reason =
            excluded.reason,
            detail = excluded.detail, since = excluded.since, token = excluded.token, node = excluded.node),
        f AS MATERIALIZED (
          SELECT f.* FROM unnest($15::text[], $16::bigint[], $17::text[], $18::text[], $19::text[], $20::text[],
            $21::bigint[], $22::text[])
            AS f(target, before, state, cause, reason, detail, since, rule), g),
        w AS (
          UPDATE verdicts SET n = verdicts.n + 1, state = f.state, cause = f.cause, reason = f.reason, detail =
            f.detail,
            since = f.since, rule = f.rule
          FROM f WHERE verdicts.target = f.target AND verdicts.n = f.before RETURNING verdicts.target),
        x AS MATERIALIZED (
          SELECT x.*, row_number() OVER (ORDER BY x.o) AS number
          FROM unnest($23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[], $29::text[],
            $30::text[], $31::text[], $32::bigint[], $33::boolean[])
            WITH ORDINALITY AS x(target, type, "group", tags, from_state, to_state, reason, cause, data, at,
            guarded, o), g
          WHERE NOT x.guarded OR x.target IN (SELECT target FROM w)),
        h AS (
          UPDATE log_head SET seq = log_head.seq + (SELECT count(*) FROM x),
            stamp = CASE WHEN EXISTS (SELECT FROM x) THEN $44::bigint ELSE stamp END,
            until = t.now + $4::bigint, day = greatest(day, t.today)
          FROM g, t RETURNING log_head.seq, g.seq AS base, log_head.day, t.now),
        e AS (
          INSERT INTO log (day, seq, stamp, at, recorded, type, target, "group", tags, from_state, to_state,
            reason, cause, data)
          SELECT h.day, h.base + x.number, $44::bigint, x.at, h.now, x.type, x.target, x."group", x.tags::text[],
            x.from_state, x.to_state,
            x.reason, x.cause, x.data
          FROM x, h),
        a AS (
          INSERT INTO disagreements (target, placement, shard, since, due)
          SELECT u.* FROM unnest($34::text[], $35::int[], $36::int[], $37::bigint[], $38::bigint[]) AS u(target,
            placement, shard, since, due), g
          ON CONFLICT (target) DO UPDATE SET due = excluded.due),
        z AS (DELETE FROM disagreements USING g WHERE target = ANY($39::text[])),
        c AS (
          UPDATE assignments SET confirmed = u.token
          FROM unnest($40::int[], $41::int[], $42::text[], $43::bigint[]) AS u(placement, shard, location, token), g
          WHERE assignments.placement = u.placement AND assignments.shard = u.shard AND assignments.location =
            u.location
            AND assignments.token = u.token)
        SELECT h.now, h.seq, h.seq - h.base AS events, (SELECT count(*) FROM w) AS verdicts,
          CASE WHEN h.seq > h.base THEN pg_notify(current_schema(), h.seq::text) END
        FROM h
        """

    static let assign = """
        WITH g AS MATERIALIZED (
          SELECT FROM log_head WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint AND
            assignment < $5::bigint FOR UPDATE),
        t AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM g),
        a AS (
          INSERT INTO assignments AS a (placement, shard, location, node, token, since)
          SELECT u.*, t.now FROM unnest($6::int[], $7::int[], $8::text[], $9::text[], $10::bigint[]) AS
            u(placement, shard, location, node, token), t
          ON CONFLICT (placement, shard, location) DO UPDATE SET node = excluded.node, token = excluded.token,
            since = excluded.since)
        UPDATE log_head SET assignment = $5::bigint, until = t.now + $4::bigint FROM g, t RETURNING t.now
        """

    static let declare = """
        WITH g AS MATERIALIZED (SELECT declared + 1 AS version FROM log_head FOR UPDATE),
        t AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM g),
        i AS (
          INSERT INTO targets (id, placement, shard, spec, origin, source, version, "interval", partial_up, "group")
          SELECT u.id, u.placement, u.shard, u.spec, $5::text, $6::text, g.version, u.period, u.partial_up, u.name
          FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $7::bigint[], $8::boolean[], $9::text[]) AS
            u(id, placement, shard, spec, period, partial_up, name), g
          ON CONFLICT (id) DO UPDATE SET placement = excluded.placement, shard = excluded.shard, spec =
            excluded.spec,
            version = excluded.version, "interval" = excluded."interval", partial_up = excluded.partial_up, "group"
            = excluded."group"
          RETURNING id),
        v AS (
          INSERT INTO verdicts (target, state, cause, since, rule)
          SELECT i.id, 'unknown', 'self', t.now, 'no_location' FROM i, t ON CONFLICT (target) DO NOTHING)
        UPDATE log_head SET declared = g.version FROM g RETURNING log_head.declared
        """
}
