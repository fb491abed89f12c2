// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport

/// A test's own connection to a database, as the superuser over the Unix socket.
final class DatabaseObserver: Sendable {
    private let loop: EventLoop
    private let parts: ThreadConfined<Parts>

    private final class Parts {
        let resolver: Resolver
        let connection: DatabaseConnection

        init(resolver: Resolver, connection: DatabaseConnection) {
            self.resolver = resolver
            self.connection = connection
        }
    }

    init(_ server: PostgreSQLServer, database: String) async throws {
        let uri = "postgresql:///\(database)?host=\(server.folder.path)&port=\(server.port)&user=admin"
        var settings = try DatabaseSettings(uri: uri)
        settings.statementTimeout = .seconds(60)
        let loop = try EventLoop(name: "test-observer")
        self.loop = loop
        let made = Recorder<Result<ThreadConfined<Parts>, ResolverError>>()
        loop.executeAndWait { [settings] in
            made.record(
                Result { () throws(ResolverError) in
                    let resolver = try Resolver(loop: loop)
                    let connection = DatabaseConnection(loop: loop, resolver: resolver, settings: settings)
                    return ThreadConfined(Parts(resolver: resolver, connection: connection), to: loop)
                }
            )
        }
        parts = try made.events[0].get()
        _ = try await withCheckedContinuation { continuation in
            loop.execute { [parts] in parts.value.connection.connect { continuation.resume(returning: $0) } }
        }.get()
        try await rows("SET search_path = reachd")
    }

    deinit { loop.close() }

    /// Executes a statement.
    ///
    /// - Returns: the rows, columns separated by spaces; `-` is NULL.
    @discardableResult
    func rows(_ sql: String) async throws -> [String] {
        let rows = try await withCheckedContinuation { continuation in
            loop.execute { [parts] in
                parts.value.connection.execute(sql, []) { continuation.resume(returning: $0) }
            }
        }.get()
        return try (0..<rows.rowCount).map { row in
            try (0..<rows.columnCount).map { try rows.optionalText(row, $0) ?? "-" }.joined(separator: " ")
        }
    }
}
