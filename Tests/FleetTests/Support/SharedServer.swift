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
        guard let server else { throw Missing() }
        let database = "fleet\(counter.add(1, ordering: .relaxed).newValue)"
        try server.execute("CREATE DATABASE \(database)", database: "postgres")
        let admin = try await SchemaClient.open(server, database: database)
        try await admin.initialize("reachd", "reachd")
        try await admin.execute("SET search_path = reachd")
        return (try await SchemaClient.open(server, "reachd", database: database), admin)
    }
}

extension Trait where Self == SharedServer {
    /// One PostgreSQL server for all tests of the suite.
    static var sharedServer: SharedServer { SharedServer() }
}
