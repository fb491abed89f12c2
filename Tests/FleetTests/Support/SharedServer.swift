// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization
import TestSupport
import Testing

/// One PostgreSQL server for all tests of a suite, which must be serialized: roles belong to the whole server, so that two
/// initializations at a time would disturb each other.
struct SharedServer: SuiteTrait, TestScoping {
    @TaskLocal private static var server: PostgreSQLServer?
    private static let counter = Atomic(0)

    struct Missing: Error {}

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try PostgreSQLServer()
        defer { server.kill() }
        try await Self.$server.withValue(server) { try await function() }
    }

    /// A new database with a fleet on the suite's server.
    ///
    /// - Returns: a client of the nodes' role and one of the superuser, for whom the fleet's schema is selected as well.
    static func makeFleet() async throws -> (node: SchemaClient, admin: SchemaClient) {
        let scene = try await makeReaderScene()
        return (scene.node, scene.admin)
    }

    /// A new database with a fleet on the suite's server, for readers.
    static func makeReaderScene() async throws -> ReaderScene {
        guard let server else { throw Missing() }
        let database = "fleet\(counter.add(1, ordering: .relaxed).newValue)"
        try server.execute("CREATE DATABASE \(database)", database: "postgres")
        return try await ReaderScene(server, database: database)
    }
}

extension Trait where Self == SharedServer {
    /// One PostgreSQL server for all tests of the suite.
    static var sharedServer: SharedServer { SharedServer() }
}
