// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport

/// A connection to a fleet's database on a loop of its own, with methods to await.
final class FleetClient: Sendable {
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

    /// Opens a connection.
    init(_ settings: DatabaseSettings) async throws {
        let loop = try EventLoop(name: "test-client")
        self.loop = loop
        let made = Recorder<Result<ThreadConfined<Parts>, ResolverError>>()
        loop.executeAndWait {
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
            loop.execute { [parts] in
                parts.value.connection.connect { continuation.resume(returning: $0) }
            }
        }.get()
    }

    deinit {
        loop.execute { [parts] in parts.value.resolver.close() }
        loop.close()
    }

    /// Executes a statement.
    @discardableResult
    func execute(_ statement: Statement, _ parameters: [DatabaseValue] = []) async throws(DatabaseError) -> DatabaseRows
    {
        try await withCheckedContinuation { continuation in
            loop.execute { [parts] in
                parts.value.connection.execute(statement, parameters, within: .seconds(30)) {
                    continuation.resume(returning: $0)
                }
            }
        }.get()
    }
}
