// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import PostgreSQL
import TestSupport
import Testing

/// `schema_too_old` and `schema_too_new` are shown by the tests of migrations.
@Suite(
    "Check of a fleet's schema by a node",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct SchemaCheckTests {
    private let server: PostgreSQLServer

    init() throws {
        server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
    }

    private func problem(_ user: String = "berlin") async throws -> SchemaProblem? {
        try await SchemaClient.open(server, user).checkProblem()
    }

    @Test("A database without a fleet")
    func missing() async throws {
        let plain = try #require(try await problem())
        #expect(plain.code == .schemaMissing)
        #expect(
            plain.description == "database reachd has no fleet; run reachd fleet init --schema reachd --user berlin"
        )
        // The role selects a schema that was dropped, while another fleet exists.
        let admin = try await SchemaClient.open(server)
        try await admin.initialize("gone")
        try server.execute("CREATE ROLE paris LOGIN")
        try await admin.initialize("other", "paris")
        try server.execute("DROP SCHEMA gone CASCADE")
        let dropped = try #require(try await problem())
        #expect(dropped.code == .schemaMissing)
        #expect(dropped.message.contains("in schema gone"))
        #expect(dropped.nextStep.contains("--schema gone"))
    }

    @Test("A table schema_versions of another program is not taken for a fleet")
    func otherProgram() async throws {
        try server.execute(
            "CREATE TABLE public.schema_versions (version text); GRANT SELECT ON schema_versions TO PUBLIC"
        )
        #expect(try await problem()?.code == .schemaMissing)
        try server.execute(
            "DROP TABLE public.schema_versions; CREATE TABLE public.schema_versions (version text, needs text)"
        )
        try server.execute("INSERT INTO schema_versions VALUES ('a', 'b'); GRANT SELECT ON schema_versions TO PUBLIC")
        #expect(try await problem()?.code == .schemaMissing)
        try server.execute("TRUNCATE schema_versions")
        #expect(try await problem()?.code == .schemaMissing)
    }

    @Test("A role that was not set up, or lost its role or a privilege")
    func roleMissing() async throws {
        try await SchemaClient.open(server).initialize()
        #expect(try await problem() == nil)
        try server.execute("CREATE ROLE paris LOGIN")
        let other = try #require(try await problem("paris"))
        #expect(other.code == .roleMissing)
        #expect(other.nextStep == "run reachd fleet init --schema reachd --user paris")
        let inherits = try await SchemaClient.open(server).membershipsInherit
        for (revoke, restore) in [
            ("REVOKE reachd_node FROM berlin", "GRANT reachd_node TO berlin"),
            (
                inherits ? "GRANT reachd_node TO berlin WITH INHERIT FALSE" : "ALTER ROLE berlin NOINHERIT",
                inherits ? "GRANT reachd_node TO berlin WITH INHERIT TRUE" : "ALTER ROLE berlin INHERIT"
            ),
            ("REVOKE INSERT ON reachd.log FROM reachd_node", "GRANT INSERT ON reachd.log TO reachd_node"),
            (
                "REVOKE SELECT ON reachd.schema_versions FROM reachd_node",
                "GRANT SELECT ON reachd.schema_versions TO reachd_node"
            ),
            (
                "REVOKE EXECUTE ON FUNCTION reachd.create_log_partitions FROM reachd_node",
                "GRANT EXECUTE ON FUNCTION reachd.create_log_partitions TO reachd_node"
            ),
            (
                "ALTER ROLE berlin IN DATABASE reachd RESET ALL",
                "ALTER ROLE berlin IN DATABASE reachd SET search_path = reachd"
            ),
        ] {
            try server.execute(revoke)
            #expect(try await problem()?.code == .roleMissing, "\(revoke)")
            try server.execute(restore)
            #expect(try await problem() == nil, "\(restore)")
        }
    }

    @Test("A server older than PostgreSQL 13, whatever it contains")
    func tooOld() async throws {
        let node = try await SchemaClient.open(server, "berlin")
        #expect(try await node.checkProblem(serverVersion: 120_022)?.code == .serverTooOld)
        #expect(try await node.checkProblem(serverVersion: 130_000)?.code == .schemaMissing)
        try await SchemaClient.open(server).initialize()
        let second = try await SchemaClient.open(server, "berlin")
        let problem = try #require(try await second.checkProblem(serverVersion: 120_022))
        #expect(problem.code == .serverTooOld)
        #expect(problem.description == "the server's version 120022 is below 13; use PostgreSQL 13 or later")
        #expect(try await second.checkProblem(serverVersion: 130_000) == nil)
    }

    @Test("A standby is usable for reading only")
    func standby() async throws {
        let server = try PostgreSQLServer(settings: ["wal_level": "replica"])
        try server.execute("CREATE ROLE berlin LOGIN")
        try await SchemaClient.open(server).initialize()
        try server.stop()
        try server.folder.write("", to: "data/standby.signal")
        try Command.run(["chmod", "666", server.folder.path(of: "data/standby.signal")])
        try server.start()
        let node = try await SchemaClient.open(server, "berlin")
        #expect(try await node.checkProblem(.write)?.code == .standby)
        #expect(try await node.check(.read).get() == UsableSchema(name: "reachd", version: FleetSchema.version))
    }

    @Test("A database that is read-only is usable for reading only, although it is not a standby")
    func readOnly() async throws {
        try await SchemaClient.open(server).initialize()
        try server.execute("ALTER ROLE berlin SET default_transaction_read_only = on")
        let node = try await SchemaClient.open(server, "berlin")
        let problem = try #require(try await node.checkProblem(.write))
        #expect(problem.code == .standby)
        #expect(problem.message == "the database is read-only")
        #expect(try await node.check(.read).get() == UsableSchema(name: "reachd", version: FleetSchema.version))
    }

    @Test("An error of the connection is neither usable nor a problem of the schema")
    func connectionEnds() async throws {
        let node = try await SchemaClient.open(server, "berlin")
        server.kill()
        await #expect(throws: DatabaseError.self) { _ = try await node.check() }
    }

    @Test("Codes are stable")
    func codes() {
        #expect(
            SchemaProblem.Code.allCases.map(\.rawValue) == [
                "schema_missing", "schema_too_old", "schema_too_new", "role_missing", "server_too_old", "standby",
                "invalid_name", "schema_occupied", "login_role", "login_role_in_use", "not_permitted", "busy",
                "interrupted",
                "failed",
            ]
        )
    }
}
