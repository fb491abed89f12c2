// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport

@testable import Fleet

/// A server with the tables of a fleet, which belong to the role that clients connect as.
final class FleetDatabase: Sendable {
    let server: PostgreSQLServer

    init(settings: [String: String] = [:]) throws {
        server = try PostgreSQLServer(settings: settings.merging(["max_connections": "60"]) { first, _ in first })
        let tables =
            (InitialTables.statements + RollupTables.tables + [HeartbeatTable.table] + IncidentTables.tables)
            .map(\.sql).joined(separator: ";\n")
        try server.execute(
            """
            SET ROLE reachd;
            \(tables);
            INSERT INTO log_head (identity, epoch) VALUES ('fleet-of-tests', '00000000000000a1');
            CREATE TABLE log_now PARTITION OF log FOR VALUES FROM ('2000-01-01') TO ('2200-01-01');
            CREATE TABLE rollups_now PARTITION OF rollups FOR VALUES FROM ('2000-01-01') TO ('2200-01-01');
            """
        )
    }

    var uri: String { server.socketURI }

    /// The settings of a client; statements have the production deadline unless given.
    func settings(statementTimeout: Duration? = nil) throws -> DatabaseSettings {
        var settings = try DatabaseSettings(uri: server.socketURI)
        if let statementTimeout { settings.statementTimeout = statementTimeout }
        return settings
    }

    /// Starts the server after it was killed. It refuses to start until the last process of the one before is gone, which the kernel
    /// may still be removing on a busy machine.
    func startAfterKill() throws {
        for _ in 0..<100 {
            do { return try server.start() } catch  where "\(error)".contains("shared memory block") { continue }
        }
        try server.start()
    }

    /// Executes SQL as the superuser.
    ///
    /// - Returns: the lines of the output.
    @discardableResult
    func query(_ sql: String) throws -> [String] {
        try server.execute(sql).split(whereSeparator: \.isNewline).map(String.init)
    }

    /// Assigns shards of placement 1 to a node under a token, and publishes a new version.
    func assign(_ shards: ClosedRange<Int>, to node: String, location: String = "berlin", token: Int) throws {
        try query(
            """
            INSERT INTO assignments (placement, shard, location, node, token, since)
            SELECT 1, s, '\(location)', '\(node)', \(token), 1 FROM generate_series(\(shards.lowerBound), \(shards.upperBound)) s
            ON CONFLICT (placement, shard, location) DO UPDATE SET node = excluded.node, token = excluded.token;
            UPDATE log_head SET assignment = assignment + 1
            """
        )
    }

    /// The local numbers of the inbox in the order of their arrival.
    func inbox() throws -> [Int64] { try query("SELECT local FROM inbox ORDER BY id").compactMap { Int64($0) } }
}
