// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

/// Writes the events about nodes and locations, and the isolated locations, in one statement under the coordinator's guard.
///
/// No row is returned, and nothing is written, when another node has become the coordinator. A node whose state was announced
/// already has no second event.
struct AnnounceStatement {
    let identity: NodeIdentity
    /// The coordinator's token.
    let token: Int64
    let lease: Duration
    /// A random number that identifies the newest event among those of a database that lost data.
    let stamp: Int64
    let announcement: Announcement
    /// All isolated locations from now on.
    let isolated: Set<String>
    /// The database's time.
    let now: Duration

    private static let numbering = LogClauses.number(
        stamp: "$5",
        head: ["until = t.now + $4::bigint", "isolated = $6::text[]"],
        columns: ["at": "$12::bigint", "type": "x.type", "data": "x.data"]
    )

    static let statement = Statement(
        """
        WITH g AS MATERIALIZED (
          SELECT seq FROM log_head
          WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint FOR UPDATE),
        \(LogClauses.time),
        n AS (
          UPDATE nodes SET announced = u.state FROM unnest($7::text[], $8::text[]) AS u(name, state), g
          WHERE nodes.name = u.name AND nodes.announced IS DISTINCT FROM u.state RETURNING nodes.name),
        x AS MATERIALIZED (
          SELECT x.*, row_number() OVER (ORDER BY x.o) AS number
          FROM unnest($9::text[], $10::text[], $11::text[]) WITH ORDINALITY AS x(type, node, data, o), g
          WHERE x.node IS NULL OR x.node IN (SELECT name FROM n)),
        \(numbering)
        SELECT h.now, h.seq - h.base, \(LogClauses.notification) FROM h
        """,
        name: "announce"
    )

    /// The values of `$1` to `$12`.
    var parameters: [DatabaseValue] {
        let (nodes, locations) = (announcement.nodes, announcement.locations)
        let types = nodes.map { _ in EventType.node.rawValue } + locations.map { _ in EventType.location.rawValue }
        return [
            .text(identity.name), .integer(identity.incarnation), .integer(token), .integer(lease.microseconds),
            .integer(stamp), .texts(isolated.sorted()), .texts(nodes.map(\.name)), .texts(nodes.map(\.to.rawValue)),
            .texts(types), .texts(nodes.map(\.name) + locations.map { _ in nil }),
            .texts(nodes.map { $0.data(at: now) } + locations.map { $0.data(at: now) }), .integer(now.microseconds),
        ]
    }
}
