// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import PostgreSQL
import TestSupport
import Testing

@Suite(
    "Migrations of a fleet's schema",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct MigrationTests {
    private func makeFleet() async throws -> (admin: SchemaClient, node: SchemaClient, server: PostgreSQLServer) {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let admin = try await SchemaClient.open(server)
        try await admin.initialize(migrations: [.initial])
        return (admin, try await SchemaClient.open(server, "berlin"), server)
    }

    private static func adding(version: Int, needs: Int) -> Migration {
        Migration(version: version, needs: needs) { schema in
            [
                Statement("CREATE TABLE extra\(version) (a int)", name: "create_extra"),
                Statement("GRANT SELECT ON extra\(version) TO \"\(schema.node)\"", name: "grant_extra"),
            ]
        }
    }

    @Test(
        "A version that needs the one before is usable by both, one that needs itself only by the newer node",
        arguments: [1, 2]
    )
    func needs(needs: Int) async throws {
        let (admin, node, _) = try await makeFleet()
        let migrations = [Migration.initial, Self.adding(version: 2, needs: needs)]
        let early = try #require(try await node.checkProblem(version: 2))
        #expect(early.code == .schemaTooOld)
        #expect(early.nextStep == "run reachd fleet migrate --schema reachd")
        #expect(try await node.check(version: 1).get().version == 1)
        #expect(
            try await admin.migrate(migrations) == [SchemaStep(.migration(2), .done)]
        )
        #expect(try await node.check(version: 2).get() == UsableSchema(name: "reachd", version: 2))
        if needs == 1 {
            #expect(try await node.check(version: 1).get() == UsableSchema(name: "reachd", version: 2))
            #expect(try await admin.migrate([.initial]) == [SchemaStep(.migration(2), .existed)])
        } else {
            #expect(try await node.checkProblem(version: 1)?.code == .schemaTooNew)
            #expect(try await node.checkProblem(version: 1)?.nextStep == "update reachd")
            #expect(try await admin.migration([.initial]).problem?.code == .schemaTooNew)
        }
        // Reading is possible either way.
        #expect(try await node.check(.read, version: 1).get().version == 2)
        // The owner's role made the table, and the node may read it.
        #expect(await node.failure("SELECT * FROM extra2") == nil)
        #expect(
            try await admin.list("SELECT pg_get_userbyid(relowner)::text FROM pg_class WHERE relname = 'extra2'") == [
                "reachd_owner"
            ]
        )
        #expect(
            try await admin.list("SELECT version || ' ' || needs FROM reachd.schema_versions ORDER BY 1") == [
                "1 1", "2 \(needs)",
            ]
        )
    }

    @Test("A migration that fails is undone as a whole, those before it are kept, and the next run continues")
    func failure() async throws {
        let (admin, _, _) = try await makeFleet()
        let broken = Migration(version: 3, needs: 1) { _ in
            [Statement("CREATE TABLE extra3 (a int)"), Statement("SELECT 1 / 0", name: "divide")]
        }
        let problem = try #require(
            try await admin.migration([.initial, Self.adding(version: 2, needs: 1), broken]).problem
        )
        #expect(problem.code == .failed)
        #expect(problem.message.contains("migration 3, divide"))
        #expect(problem.nextStep.contains("reachd fleet migrate --schema reachd"))
        #expect(try await admin.list("SELECT version::text FROM reachd.schema_versions ORDER BY 1") == ["1", "2"])
        #expect(try await admin.list("SELECT relname::text FROM pg_class WHERE relname LIKE 'extra_'") == ["extra2"])
        let steps = try await admin.migrate([
            .initial, Self.adding(version: 3, needs: 1), Self.adding(version: 2, needs: 1),
        ])
        #expect(steps == [SchemaStep(.migration(3), .done)])
    }

    @Test("Concurrent runs apply each migration once")
    func concurrent() async throws {
        let (admin, _, server) = try await makeFleet()
        let migrations = [Migration.initial] + (2...5).map { Self.adding(version: $0, needs: 1) }
        var clients = [admin]
        for _ in 0..<3 { clients.append(try await SchemaClient.open(server)) }
        let steps = try await withThrowingTaskGroup(of: [SchemaStep].self) { group in
            for client in clients { group.addTask { try await client.migrate(migrations) } }
            return try await group.reduce(into: [SchemaStep]()) { $0 += $1 }
        }
        for version in 2...5 { #expect(steps.count { $0 == SchemaStep(.migration(version), .done) } == 1) }
        #expect(steps.count { $0 == SchemaStep(.migration(5), .existed) } == 3)
        #expect(
            try await admin.list("SELECT version::text FROM reachd.schema_versions ORDER BY 1") == [
                "1", "2", "3", "4", "5",
            ]
        )
    }

    @Test("A migration does not queue behind a transaction that uses its table: it ends as busy and changes nothing")
    func busy() async throws {
        let (admin, node, server) = try await makeFleet()
        let other = try await SchemaClient.open(server)
        try await other.execute("BEGIN")
        try await other.execute("SELECT count(*) FROM reachd.nodes")
        let altering = Migration(version: 2, needs: 1) { _ in [Statement("ALTER TABLE nodes ADD COLUMN color text")] }
        let problem = try #require(try await admin.migration([.initial, altering]).problem)
        #expect(problem.code == .busy)
        try await other.execute("COMMIT")
        #expect(try await node.check(version: 1).get().version == 1)
        try await admin.migrate([.initial, altering])
        #expect(try await node.check(version: 1).get().version == 2)
    }

    @Test("Without a fleet there is nothing to migrate, and the next step is initialization")
    func missing() async throws {
        let server = try PostgreSQLServer()
        let admin = try await SchemaClient.open(server)
        let problem = try #require(try await admin.migration(Migration.all).problem)
        #expect(problem.code == .schemaMissing)
        #expect(problem.nextStep.hasPrefix("run reachd fleet init --schema reachd"))
    }

    @Test("Initialization of an older fleet does not migrate it, and says so")
    func initializationOfOlder() async throws {
        let (admin, _, _) = try await makeFleet()
        let steps = try await admin.initialize(migrations: [.initial, Self.adding(version: 2, needs: 1)])
        #expect(steps.contains(SchemaStep(.migration(1), .existed)))
        #expect(steps.last == SchemaStep(.migration(2), .warning))
        #expect(steps.last?.description.contains("reachd fleet migrate") == true)
        #expect(try await admin.list("SELECT max(version)::text FROM reachd.schema_versions") == ["1"])
    }

    @Test("A new fleet receives all migrations in one transaction")
    func allAtOnce() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let admin = try await SchemaClient.open(server)
        let broken = Migration(version: 2, needs: 1) { _ in [Statement("SELECT 1 / 0")] }
        #expect(try await admin.initializationProblem(migrations: [.initial, broken])?.code == .failed)
        #expect(try await admin.list("SELECT nspname::text FROM pg_namespace WHERE nspname = 'reachd'").isEmpty)
        try await admin.initialize(migrations: [.initial, Self.adding(version: 2, needs: 2)])
        #expect(
            try await admin.list("SELECT version || ' ' || needs FROM reachd.schema_versions ORDER BY 1") == [
                "1 1", "2 2",
            ]
        )
    }

    @Test("A role that is not a member of the owner's may not migrate")
    func notPermitted() async throws {
        let (_, _, server) = try await makeFleet()
        let other = try await SchemaClient.open(server, "reachd")
        let problem = try #require(try await other.migration([.initial, Self.adding(version: 2, needs: 1)]).problem)
        #expect(problem.code == .notPermitted)
        #expect(problem.nextStep.contains("membership in the fleet's owner role"))
    }

    @Test("Versions ascend, and each needs none that is newer")
    func list() {
        #expect(Migration.all.map(\.version) == Array(1...Migration.all.count))
        #expect(Migration.all.allSatisfy { (1...$0.version).contains($0.needs) })
        #expect(FleetSchema.version == Migration.all.count)
    }
}

extension Result where Failure == SchemaProblem {
    /// The failure.
    fileprivate var problem: SchemaProblem? {
        if case .failure(let problem) = self { problem } else { nil }
    }
}
