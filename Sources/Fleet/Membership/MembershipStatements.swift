// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// The statements of a node about itself. Each is one transaction.
enum MembershipStatements {
    /// Registers a run of a node: `$1` name, `$2` location, `$3` URL, `$4` version, `$5` capacity, `$6` local epoch, `$7` lease.
    /// Returns the incarnation and the position of the reports, and notifies.
    static let register = Statement(
        """
        WITH t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now)
        INSERT INTO nodes AS n (name, incarnation, location, url, version, capacity, epoch, since, until, resumed)
        SELECT $1::text, 1, $2::text, $3::text, $4::text, $5::int, $6::text, t.now, t.now + $7::bigint, t.now FROM t
        ON CONFLICT (name) DO UPDATE SET
          incarnation = n.incarnation + 1, location = excluded.location, url = excluded.url, version = excluded.version,
          capacity = excluded.capacity, departed = false, since = excluded.since, until = excluded.until,
          resumed = CASE WHEN \(LeaseSpan.end("n.until", now: "excluded.since", lease: "$7::bigint"))
              > excluded.since + $7::bigint / 2 AND n.resumed <= excluded.since THEN n.resumed ELSE excluded.since END,
          reported = CASE WHEN n.epoch = excluded.epoch THEN n.reported ELSE 0 END, epoch = excluded.epoch
        RETURNING incarnation, reported, \(FleetChannel.work.notify())
        """,
        name: "register_node"
    )

    /// Renews the lease, without waiting for the commit: `$1` name, `$2` incarnation, `$3` lease, `$4` backlog, `$5` oldest
    /// unreported event, `$6` skew, `$7` round trip, `$8` network, `$9` departing, which is notified. Returns a ``LeaseAnswer``, or no
    /// row when another run registered the name.
    ///
    /// `resumed` begins again when the last renewal is more than half a lease ago: after an outage of the database, a node whose lease
    /// has just not ended must not declare those dead whose lease has. It also begins again when the database's clock was set back: an
    /// instant in the future would let no node be declared dead until then, and leases that were renewed before are past (``LeaseSpan``).
    static let renew = Statement(
        """
        WITH s AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
        t AS MATERIALIZED (SELECT \(DatabaseClock.now) AS now FROM s),
        u AS (
          UPDATE nodes SET until = CASE WHEN $9::boolean THEN t.now ELSE t.now + $3::bigint END, departed = $9::boolean,
            resumed = CASE WHEN \(LeaseSpan.end("nodes.until", now: "t.now", lease: "$3::bigint"))
                < t.now + $3::bigint / 2 OR nodes.resumed > t.now THEN t.now ELSE nodes.resumed END,
            backlog = $4::bigint, oldest = $5::bigint, skew = $6::bigint, round_trip = $7::bigint, network = $8::text
          FROM t WHERE nodes.name = $1::text AND nodes.incarnation = $2::bigint
          RETURNING t.now, nodes.reported, nodes.draining)
        SELECT u.now, u.reported, u.draining, h.identity, h.epoch, h.seq, h.stamp, h.assignment, h.declared,
          h.settings_version, h.token, h.coordinator, h.incarnation,
          \(LeaseSpan.end("h.until", now: "u.now", lease: "$3::bigint")) < u.now,
          h.disputes, ARRAY(SELECT r.token || ' ' || r.name FROM receivers r WHERE r.node = $1::text ORDER BY r.name),
          (SELECT coalesce(max(id), 0) FROM commands), h.durable, CASE WHEN $9::boolean THEN \(FleetChannel.work.notify()) END
        FROM u CROSS JOIN log_head h
        """,
        name: "renew_lease"
    )

    /// The stored incarnation of a name: `$1` name.
    static let incarnation = Statement(
        "SELECT incarnation FROM nodes WHERE name = $1::text",
        name: "read_incarnation"
    )

    /// Targets about which locations began to disagree while this node's location reports something else than down: `$1` name, `$2`
    /// the last number that was read, `$3` limit.
    static let disputed = Statement(
        """
        SELECT d.number, d.target FROM disagreements d
        JOIN assignments a ON a.placement = d.placement AND a.shard = d.shard
        LEFT JOIN votes v ON v.target = d.target AND v.location = a.location
        WHERE a.node = $1::text AND d.number > $2::bigint AND coalesce(v.state NOT IN ('down', 'unreachable'), true)
        ORDER BY d.number LIMIT $3::int
        """,
        name: "read_disputed_targets"
    )

    /// The shards that are assigned to a node: `$1` name; with whether the location is the first that watches each of them.
    static let ownAssignments = Statement(
        """
        SELECT a.placement, a.shard, a.location, a.token, a.since, a.confirmed,
          NOT EXISTS (
            SELECT FROM assignments b WHERE b.placement = a.placement AND b.shard = a.shard AND b.location < a.location)
        FROM assignments a WHERE a.node = $1::text
        """,
        name: "read_own_assignments"
    )
}
