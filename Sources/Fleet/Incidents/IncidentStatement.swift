// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import PostgreSQL

/// Writes what became of incidents, with an event for each change, in one statement under the coordinator's guard.
///
/// No row is returned, and nothing is written, when another node has become the coordinator. People's edits are deleted with the
/// change that they led to, so that none is applied twice.
struct IncidentStatement {
    let identity: NodeIdentity
    /// The coordinator's token.
    let token: Int64
    let lease: Duration
    /// A random number that identifies the newest event among those of a database that lost data.
    let stamp: Int64
    /// The changes, in their order.
    let changes: [IncidentChange]
    /// The numbers of the edits that were applied or refused.
    let edits: [Int64]

    private static let numbering = LogClauses.number(
        stamp: "$5",
        head: ["until = t.now + $4::bigint"],
        columns: ["at": "x.at", "type": "'\(EventType.incident.rawValue)'", "data": "x.data"]
    )

    static let statement = Statement(
        """
        WITH g AS MATERIALIZED (
          SELECT seq FROM log_head
          WHERE coordinator = $1::text AND incarnation = $2::bigint AND token = $3::bigint FOR UPDATE),
        \(LogClauses.time),
        d AS (DELETE FROM incident_edits USING g WHERE id = ANY($6::bigint[])),
        i AS (
          INSERT INTO incidents (number, id, opened, closed, total, down, unreachable, degraded, data)
          SELECT u.* FROM unnest($7::bigint[], $8::text[], $9::bigint[], $10::bigint[], $11::int[], $12::int[], $13::int[],
            $14::int[], $15::text[]) AS u(number, id, opened, closed, total, down, unreachable, degraded, data), g
          ON CONFLICT (number) DO UPDATE SET closed = excluded.closed, revision = incidents.revision + 1,
            total = excluded.total, down = excluded.down, unreachable = excluded.unreachable,
            degraded = excluded.degraded, data = excluded.data),
        m AS (
          INSERT INTO incident_members (incident, target, name, "group", state, first, "from", until, "end", turns, distance)
          SELECT u.* FROM unnest($16::bigint[], $17::text[], $18::text[], $19::text[], $20::text[], $21::bigint[],
            $22::bigint[], $23::bigint[], $24::text[], $25::int[], $26::int[])
            AS u(incident, target, name, "group", state, first, "from", until, "end", turns, distance), g
          ON CONFLICT (incident, target) DO UPDATE SET state = excluded.state, "from" = excluded."from",
            until = excluded.until, "end" = excluded."end", turns = excluded.turns, distance = excluded.distance),
        x AS MATERIALIZED (
          SELECT x.*, x.o AS number FROM unnest($27::text[], $28::bigint[]) WITH ORDINALITY AS x(data, at, o), g),
        \(numbering)
        SELECT h.now, h.seq - h.base AS events, \(LogClauses.notification) FROM h
        """,
        name: "write_incidents"
    )

    /// The values of `$1` to `$28`.
    var parameters: [DatabaseValue] {
        [
            .text(identity.name), .integer(identity.incarnation), .integer(token), .integer(lease.microseconds),
            .integer(stamp), .integers(edits),
        ] + incidents + members + events
    }

    /// Of several states of one incident the last counts: a statement cannot write a row twice.
    private var incidents: [DatabaseValue] {
        var last: [UInt64: Incident] = [:]
        for change in changes { last[change.incident.number] = change.incident }
        let all = last.values.sorted { $0.number < $1.number }
        return [
            .integers(all.map { Int64(clamping: $0.number) }), .texts(all.map(\.id)),
            .integers(all.map(\.openedAt.instant.microseconds)),
            .integers(all.map { $0.closedAt?.instant.microseconds }), .integers(all.map { Int64($0.counts.total) }),
            .integers(all.map { Int64($0.counts.down) }), .integers(all.map { Int64($0.counts.unreachable) }),
            .integers(all.map { Int64($0.counts.degraded) }),
            .texts(all.map { StorableText.text(String(decoding: $0.stored, as: UTF8.self)) }),
        ]
    }

    private var members: [DatabaseValue] {
        struct Key: Hashable {
            let incident: UInt64
            let target: String
        }
        var last: [Key: IncidentMember] = [:]
        for change in changes {
            for member in change.joined + change.left + change.changed {
                last[Key(incident: change.incident.number, target: member.target)] = member
            }
        }
        // In the order of the targets, so that two statements wait for each other's rows in one order.
        let all = last.sorted { ($0.key.incident, $0.key.target) < ($1.key.incident, $1.key.target) }
        let members = all.map(\.value)
        return [
            .integers(all.map { Int64(clamping: $0.key.incident) }), .texts(members.map(\.target)),
            .texts(members.map { $0.name.map { StorableText.text($0) } }),
            .texts(members.map(\.group)), .texts(members.map(\.state.rawValue)),
            .integers(members.map(\.first.instant.microseconds)), .integers(members.map(\.from.instant.microseconds)),
            .integers(members.map { $0.until?.instant.microseconds }), .texts(members.map { $0.end?.rawValue }),
            .integers(members.map { Int64($0.turns) }), .integers(members.map { Int64($0.distance.rawValue) }),
        ]
    }

    private var events: [DatabaseValue] {
        [
            .texts(changes.map { StorableText.text(String(decoding: Self.data($0), as: UTF8.self)) }),
            .integers(changes.map(\.at.instant.microseconds)),
        ]
    }

    /// The event of a change; one of many targets with long names names fewer of them, since readers leave out longer events.
    private static func data(_ change: IncidentChange) -> [UInt8] {
        func data(naming limit: Int) -> [UInt8] {
            var writer = JSONWriter(reserving: 1_024)
            writer.object { writer in
                writer.incidentChangeMembers(change, naming: limit)
                writer.member("at", change.at)
            }
            return writer.take()
        }
        let whole = data(naming: JSONWriter.namedMembers)
        return whole.count <= LogPage.dataLimit ? whole : data(naming: 8)
    }
}

/// The other statements about incidents.
enum IncidentStatements {
    /// The incidents that may go on: those that are open, or were closed at a time or later. `$1` the time. With the largest number of
    /// all, also when there are none.
    static let continuing = Statement(
        """
        SELECT n.newest, \(IncidentRows.columns)
        FROM (SELECT coalesce(max(number), 0) AS newest FROM incidents) n
        LEFT JOIN incidents i ON i.closed IS NULL OR i.closed >= $1::bigint ORDER BY i.number
        """,
        name: "continuing_incidents"
    )

    /// Members of incidents. `$1` numbers, `$2` and `$3` the incident and the target of the last row before, `$4` limit.
    static let members = Statement(
        """
        SELECT \(IncidentRows.memberColumns) FROM incident_members m
        WHERE m.incident = ANY($1::bigint[]) AND (m.incident, m.target) > ($2::bigint, $3::text)
        ORDER BY m.incident, m.target LIMIT $4::int
        """,
        name: "incident_members"
    )

    /// Of some targets those that are not declared any more, or are paused. `$1` ids.
    static let ended = Statement(
        """
        SELECT u.id FROM unnest($1::text[]) AS u(id) LEFT JOIN targets t ON t.id = u.id WHERE t.id IS NULL OR t.paused
        """,
        name: "ended_targets"
    )

    /// Incidents by their ids. `$1` ids.
    static let named = Statement(
        "SELECT \(IncidentRows.columns) FROM incidents i WHERE i.id = ANY($1::text[])",
        name: "named_incidents"
    )

    /// People's edits, oldest first. `$1` limit.
    static let edits = Statement(
        "SELECT id, left(incident, 200), left(edit, \(StoredEdit.limit)), at FROM incident_edits ORDER BY id LIMIT $1::int",
        name: "incident_edits"
    )

    /// Deletes closed incidents that are too old, and the oldest of too many. `$1` how long ago they were closed, `$2` how many
    /// stay, `$3` how many are deleted at most. Returns how many were.
    static let trim = Statement(
        """
        WITH o AS MATERIALIZED (
          SELECT number FROM (
            SELECT number, closed, row_number() OVER (ORDER BY closed DESC, number DESC) AS place FROM incidents
            WHERE closed IS NOT NULL) i
          WHERE closed < \(DatabaseClock.now) - $1::bigint OR place > $2::bigint ORDER BY number LIMIT $3::int),
        m AS (DELETE FROM incident_members USING o WHERE incident = o.number),
        i AS (DELETE FROM incidents USING o WHERE incidents.number = o.number)
        SELECT count(*) FROM o
        """,
        name: "trim_incidents"
    )
}
