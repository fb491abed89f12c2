// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

/// The statements of a fleet's coordinator, except ``WriteStatement`` and ``AssignStatement``.
///
/// Tables are named without a schema: the role's `search_path` selects the fleet. Parameters are cast, because libpq sends them
/// without types.
enum CoordinatorStatement {
    /// Becomes the coordinator when the last one's lease has ended, or begins another term of the present one. `$1` name,
    /// `$2` incarnation, `$3` lease. Returns how long ago the lease ended: 0 for the first one, NULL when it had not.
    static let claim = Statement(
        """
        WITH t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now)
        UPDATE log_head SET coordinator = $1::text, incarnation = $2::bigint, token = log_head.token + 1,
          until = t.now + $3::bigint
        FROM t, nodes n, (SELECT \(LeaseSpan.end("until", now: "now", lease: "$3::bigint")) AS until FROM log_head, t) o
        WHERE (\(LeaseSpan.end("log_head.until", now: "t.now", lease: "$3::bigint")) < t.now OR log_head.coordinator = $1::text AND log_head.incarnation = $2::bigint)
          AND n.name = $1::text AND n.incarnation = $2::bigint AND n.until > t.now
        RETURNING t.now, log_head.token, CASE WHEN o.until >= t.now THEN NULL WHEN o.until > 0 THEN t.now - o.until ELSE 0 END
        """,
        name: "claim_coordination"
    )

    /// Renews the coordinator's lease; a lease of 0 ends it, and others are notified. The commit is not awaited. `$1` name,
    /// `$2` incarnation, `$3` token, `$4` lease.
    static let keep = Statement(
        """
        WITH s AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
        t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now FROM s)
        UPDATE log_head SET until = t.now + $4::bigint FROM t
        WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint
        RETURNING t.now, assignment, CASE WHEN $4::bigint = 0 THEN \(FleetChannel.vacancy.notify()) END
        """,
        name: "keep_coordination"
    )

    /// Renews the coordinator's lease like ``keep``, and reads the nodes, the version of the declarations, the isolated locations, the
    /// log's epoch, and whether the inbox has rows and people changed incidents. `$1` name, `$2` incarnation, `$3` token, `$4` lease, `$5` the inbox's floor. The
    /// node's columns are NULL when there is no node.
    static let look = Statement(
        """
        WITH s AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
        t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now FROM s),
        h AS (
          UPDATE log_head SET until = t.now + $4::bigint FROM t
          WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint
          RETURNING t.now, declared, isolated, log_head.epoch)
        SELECT h.now, h.declared, EXISTS (SELECT FROM inbox WHERE id > $5::bigint) AS pending, h.isolated,
          n.name, n.location, n.capacity, n.draining, n.departed,
          \(LeaseSpan.end("n.until", now: "h.now", lease: "$4::bigint")), n.resumed, n.announced, n.receivers, n.backlog,
          h.epoch, EXISTS (SELECT FROM incident_edits) AS edits
        FROM h LEFT JOIN nodes n ON true ORDER BY n.name
        """,
        name: "coordinator_look"
    )

    /// All assignments.
    static let assignments = Statement(
        "SELECT placement, shard, location, node, token, since, confirmed FROM assignments",
        name: "assignments"
    )

    /// All placements.
    static let placements = Statement(
        "SELECT id, watchers, quorum, locations FROM placements ORDER BY id",
        name: "placements"
    )

    /// The number of targets in each shard.
    static let shardSizes = Statement(
        "SELECT placement, shard, count(*) AS targets FROM targets GROUP BY placement, shard",
        name: "shard_sizes"
    )

    /// What an ``InboxRow`` is read from. Another program may have written texts of any length; a result is bounded.
    private static let inboxColumns = """
        id, \(bounded("node")), placement, shard, \(bounded("location")), token, \(bounded("kind")), \(bounded("target")),
          \(bounded("state")), \(bounded("cause")), \(bounded("reason")), left(detail, \(VoteContent.detailLimit)), since, at,
          left(data, \(CertificateEntry.dataLimit))
        """

    /// A name or a code: longer than every valid one, so that a longer one stays invalid.
    private static func bounded(_ column: String) -> String { "left(\(column), 300)" }

    /// Rows of the inbox in their order. `$1` floor, `$2` limit.
    static let inbox = Statement(
        """
        SELECT \(inboxColumns)
        FROM inbox WHERE id > $1::bigint ORDER BY id LIMIT $2::int
        """,
        name: "inbox"
    )

    /// Rows of the inbox in the order in which they were observed, and of each node in its own order. `$1` limit. It sorts the whole
    /// inbox, so that it is only for what an outage of the database left behind.
    static let gatheredInbox = Statement(
        """
        SELECT \(inboxColumns)
        FROM (SELECT *, max(at) OVER (PARTITION BY node ORDER BY id) AS moment FROM inbox) i
        ORDER BY moment, id LIMIT $1::int
        """,
        name: "gathered_inbox"
    )

    /// Targets with their verdicts. `$1` ids.
    static let standing = Statement(
        """
        SELECT t.id, t.placement, t.shard, t."interval", t.partial_up, t."group", t.tags::text,
          v.n, v.state, v.cause, \(bounded("v.reason")), left(v.detail, \(VoteContent.detailLimit)), v.since, v.rule, d.since AS disagreeing, d.due, t.paused
        FROM targets t JOIN verdicts v ON v.target = t.id LEFT JOIN disagreements d ON d.target = t.id
        WHERE t.id = ANY($1::text[])
        """,
        name: "standing"
    )

    /// The votes on targets. `$1` ids.
    static let votes = Statement(
        """
        SELECT target, location, state, cause, \(bounded("reason")), left(detail, \(VoteContent.detailLimit)), since, token, node,
          left(fault, \(IncidentFault.sizeLimit))
        FROM votes WHERE target = ANY($1::text[])
        """,
        name: "votes"
    )

    /// The first parent of each target whose verdict blocks it. `$1` ids.
    static let blockingParents = Statement(
        """
        SELECT DISTINCT ON (d.child) d.child, d.parent FROM dependencies d JOIN verdicts v ON v.target = d.parent
        WHERE d.child = ANY($1::text[]) AND v.state IN ('down', 'unreachable') ORDER BY d.child, d.parent
        """,
        name: "blocking_parents"
    )

    /// A page of the targets that depend on others. `$1` parents' ids, `$2` the last id of the page before, `$3` limit.
    static let children = Statement(
        """
        SELECT DISTINCT child FROM dependencies WHERE parent = ANY($1::text[]) AND child > $2::text
        ORDER BY child LIMIT $3::int
        """,
        name: "children"
    )

    /// A page of the targets in shards. `$1` placements, `$2` shards, `$3` the last id of the page before, `$4` limit.
    static let targetsOfShards = Statement(
        """
        SELECT t.id FROM targets t JOIN unnest($1::int[], $2::int[]) AS s(placement, shard) USING (placement, shard)
        WHERE t.id > $3::text ORDER BY t.id LIMIT $4::int
        """,
        name: "targets_of_shards"
    )

    /// The targets whose locations have disagreed for too long, and the next one that will. `$1` the time, `$2` limit.
    static let dueDisagreements = Statement(
        """
        (SELECT target, due FROM disagreements WHERE due <= $1::bigint ORDER BY due LIMIT $2::int)
        UNION ALL (SELECT target, due FROM disagreements WHERE due > $1::bigint ORDER BY due LIMIT 1)
        """,
        name: "due_disagreements"
    )
}
