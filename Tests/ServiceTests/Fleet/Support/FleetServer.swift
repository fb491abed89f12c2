// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

/// One PostgreSQL server for all tests of a suite, each with a database of its own. The suite must be serialized: roles belong to the
/// whole server, so that two initializations at a time would disturb each other.
struct FleetServer: SuiteTrait, TestScoping {
    @TaskLocal private static var server: PostgreSQLServer?

    struct Missing: Error {}

    /// The suite's server.
    static func current() throws -> PostgreSQLServer {
        guard let server else { throw Missing() }
        return server
    }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try PostgreSQLServer()
        defer { server.kill() }
        try await Self.$server.withValue(server) { try await function() }
    }
}

extension Trait where Self == FleetServer {
    /// One PostgreSQL server for all tests of the suite.
    static var fleetServer: FleetServer { FleetServer() }
}

extension Trait where Self == ConditionTrait {
    /// Skips tests where PostgreSQL is not installed.
    static var needsPostgreSQL: ConditionTrait {
        .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
    }
}
