// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import MonitoringTestSupport
import PostgreSQL
import TestSupport

@testable import Fleet

/// A fleet in a database of its own, what the coordinator would write there, and readers of it.
final class ReaderScene: Sendable {
    /// A connection as a node has it.
    let node: SchemaClient
    /// A connection of the superuser, for whom the fleet's schema is selected.
    let admin: SchemaClient
    /// The declarations that readers read, in order.
    let parsed = Recorder<String>()
    let settings: DatabaseSettings

    /// Creates a fleet in a new database.
    init(_ server: PostgreSQLServer, database: String = "reachd") async throws {
        admin = try await SchemaClient.open(server, database: database)
        try await admin.initialize("reachd", "reachd")
        try await admin.execute("SET search_path = reachd")
        node = try await SchemaClient.open(server, "reachd", database: database)
        settings = try DatabaseSettings(
            uri: "postgresql:///\(database)?host=\(server.folder.path)&port=\(server.port)&user=reachd"
        )
    }

    /// A reader as a node has it. It cannot read declarations with the word `unreadable`.
    func makeReader() throws -> OpenReader {
        OpenReader(
            reader: try FleetReader(database: settings) { [parsed] text in
                parsed.record(text)
                return text.contains("unreadable") ? nil : .address("parsed")
            }
        )
    }

    /// Declares targets, and removes those that were declared before and are not among them. The events of that are taken out of the
    /// log again, so that a test's own are numbered from 1.
    func declare(_ targets: [FleetDeclaration]) async throws {
        let before = try await node.table("SELECT seq FROM log_head")[0]
        try await node.declare(FleetDocument(source: "main", declarations: targets))
        try await admin.execute("DELETE FROM log WHERE seq > \(before)")
        try await admin.execute("UPDATE log_head SET seq = \(before)")
    }

    /// Declares targets with nothing but an id.
    func declare(_ ids: [String]) async throws {
        try await declare(ids.map { FleetDeclaration(id: $0, text: #"{"id":"\#($0)"}"#) })
    }

    /// Writes events into the log as the coordinator does: in the order of the head, whose lock it holds.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - day: the database's day, for example `2026-11-20`; nil for the head's.
    func log(_ count: Int, day: String? = nil) async throws {
        try await log(
            "SELECT 'state' AS type, 't' || n % 7 AS target, 'up' AS from_state, 'down' AS to_state, "
                + "'{\"n\":' || n || '}' AS data, n * 1000 AS at FROM generate_series(1, \(count)) AS n",
            day: day
        )
    }

    /// The same for rows of a query with the columns `type`, `target`, `from_state`, `to_state`, `data` and `at`.
    func log(_ rows: String, day: String? = nil) async throws {
        try await admin.execute(
            """
            WITH x AS MATERIALIZED (SELECT r.*, row_number() OVER () AS number FROM (\(rows)) r),
            h AS (UPDATE log_head SET seq = seq + (SELECT count(*) FROM x), stamp = 1, day = coalesce($1::date, day)
              RETURNING seq, day),
            e AS (INSERT INTO log (day, seq, stamp, at, recorded, type, target, "group", tags, from_state, to_state, cause, data)
              SELECT h.day, h.seq - (SELECT count(*) FROM x) + x.number, 1, x.at, x.at, x.type, x.target, 'edge',
                '{env:prod,role:web}', x.from_state, x.to_state, 'target', x.data FROM x, h)
            SELECT pg_notify(current_schema(), h.seq::text) FROM h
            """,
            [day.map(DatabaseValue.text) ?? .null]
        )
    }

    /// Creates the partitions of days of the past.
    func createPartitions(_ days: [String]) async throws {
        for day in days {
            try await admin.execute(
                """
                CREATE TABLE "log_\(day.replacing("-", with: ""))" PARTITION OF log
                FOR VALUES FROM ('\(day)') TO (date '\(day)' + 1)
                """
            )
        }
    }
}

extension FleetDeclaration {
    /// A target that one location watches.
    init(id: String, text: String, group: String? = nil, tags: [String] = []) {
        self.init(id: id, placement: .single, text: text, interval: .seconds(10), group: group, tags: tags)
    }
}
