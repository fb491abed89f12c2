// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@Suite(
    "Initialization of a fleet's schema",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct InitializationTests {
    /// All objects and roles of the schema, with their owners.
    static let inventory = """
        SELECT c.relname || ' of ' || pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.relnamespace = to_regnamespace('reachd')::oid
        UNION ALL SELECT p.proname || ' of ' || pg_get_userbyid(p.proowner) FROM pg_proc p
            WHERE p.pronamespace = to_regnamespace('reachd')::oid
        UNION ALL SELECT nspname || ' of ' || pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = 'reachd'
        UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE 'reachd\\_%'
        UNION ALL SELECT setrole::regrole || array_to_string(setconfig, ' ') FROM pg_db_role_setting
        UNION ALL SELECT roleid::regrole || ' of ' || member::regrole FROM pg_auth_members
            WHERE roleid::regrole::text LIKE 'reachd\\_%'
        ORDER BY 1
        """

    @Test("A superuser creates roles, schema and tables; a second run changes nothing")
    func twice() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let client = try await SchemaClient.open(server)
        let steps = try await client.initialize()
        #expect(steps.allSatisfy { $0.outcome == .done })
        #expect(
            steps.map(\.description) == [
                "role reachd_owner: created", "role reachd_node: created", "role reachd_reader: created",
                "schema reachd: created", "berlin is now a member of reachd_node",
                "berlin: search_path is now reachd", "berlin: statement_timeout is now 5s",
                "berlin: lock_timeout is now 1s", "berlin: idle_in_transaction_session_timeout is now 5s",
                "berlin: jit is now off",
            ] + Migration.all.map { "schema version \($0.version): applied" } + [
                "identity: created", "partitions of the log: created",
            ]
        )
        let inventory = try await client.list(Self.inventory)
        #expect(inventory.contains("log_head of reachd_owner"))
        #expect(inventory.contains("create_log_partitions of reachd_owner"))
        let again = try await client.initialize(identity: String(repeating: "f", count: 32))
        #expect(again.map(\.subject).count == 11)
        #expect(again.allSatisfy { $0.outcome == .existed })
        #expect(try await client.list(Self.inventory) == inventory)
        let head = try await client.execute("SELECT identity, epoch, seq FROM reachd.log_head")
        #expect(head.rowCount == 1)
        #expect(try head.text(0, 0) == SchemaClient.identity)
        let epoch = try head.text(0, 1)
        #expect(epoch.utf8.count == 16 && EventID(parsing: "\(epoch)-1") != nil)
        #expect(
            try await client.list("SELECT version::text FROM reachd.schema_versions ORDER BY version")
                == Migration.all.map { "\($0.version)" }
        )
    }

    @Test("An owner with CREATEROLE and CREATE on the database, who is not a superuser, initializes and migrates")
    func owner() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        try server.execute("CREATE ROLE operator LOGIN CREATEROLE")
        try server.execute("GRANT CREATE ON DATABASE reachd TO operator")
        // PostgreSQL 16 and later need it for the settings of the login role.
        try server.execute("GRANT berlin TO operator WITH ADMIN OPTION")
        let client = try await SchemaClient.open(server, "operator")
        let steps = try await client.initialize()
        #expect(steps.contains(SchemaStep(.membership(role: "reachd_owner", member: "operator"), .done)))
        #expect(try await client.initialize().allSatisfy { $0.outcome == .existed })
        let next = FleetSchema.version + 1
        let last = Migration(version: next, needs: 1) { _ in [Statement("ALTER TABLE nodes ADD COLUMN color text")] }
        #expect(
            try await client.migrate(Migration.all + [last]) == [SchemaStep(.migration(next), .done)]
        )
        let owners = try await client.list(
            "SELECT DISTINCT pg_get_userbyid(relowner)::text FROM pg_class WHERE relnamespace = 'reachd'::regnamespace"
        )
        #expect(owners == ["reachd_owner"])
        let node = try await SchemaClient.open(server, "berlin")
        #expect(try await node.check().get() == UsableSchema(name: "reachd", version: next))
    }

    @Test("A role without the privileges leaves nothing and learns which it needs")
    func notPermitted() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let admin = try await SchemaClient.open(server)
        let before = try await admin.list(Self.inventory)
        // It owns the database but cannot create roles.
        let client = try await SchemaClient.open(server, "reachd")
        let problem = try #require(try await client.initializationProblem())
        #expect(problem.code == .notPermitted)
        #expect(problem.message.contains("create_role"))
        #expect(problem.nextStep.contains("reachd fleet init --schema reachd --user berlin"))
        #expect(problem.nextStep.contains("CREATEROLE"))
        // It can create roles, but no schema.
        try server.execute("CREATE ROLE operator LOGIN CREATEROLE")
        let second = try await SchemaClient.open(server, "operator")
        #expect(try await second.initializationProblem()?.code == .notPermitted)
        #expect(try await admin.list(Self.inventory) == before)
    }

    @Test("Of concurrent runs one creates the fleet, and the others add their login roles")
    func concurrent() async throws {
        let server = try PostgreSQLServer()
        let roles = (0..<6).map { "node\($0)" }
        var clients: [(String, SchemaClient)] = []
        for role in roles {
            try server.execute("CREATE ROLE \(role) LOGIN")
            clients.append((role, try await SchemaClient.open(server)))
        }
        let results = try await withThrowingTaskGroup(of: [SchemaStep].self) { group in
            for (role, client) in clients { group.addTask { try await client.initialize("reachd", role) } }
            return try await group.reduce(into: [[SchemaStep]]()) { $0.append($1) }
        }
        #expect(results.count { $0.contains(SchemaStep(.migration(1), .done)) } == 1)
        #expect(results.count { $0.contains(SchemaStep(.migration(FleetSchema.version), .existed)) } == 5)
        for role in roles {
            let node = try await SchemaClient.open(server, role)
            #expect(try await node.check().get() == UsableSchema(name: "reachd", version: FleetSchema.version))
        }
        #expect(try server.execute("SELECT count(*) FROM reachd.log_head") == "1\n")
    }

    @Test(
        "A failure at the first, a middle or the last statement leaves nothing, and the next run succeeds on the same connection"
    )
    func failure() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let client = try await SchemaClient.open(server)
        let before = try await client.list(Self.inventory)
        let name = try SchemaName("reachd")
        let count = Migration.initial.statements(name).count
        for place in [0, 1, count / 2, count - 1, count] {
            let broken = Migration(version: 1, needs: 1) { name in
                var statements = Migration.initial.statements(name)
                statements.insert(Statement("SELECT 1 / 0", name: "divide"), at: place)
                return statements
            }
            let problem = try #require(try await client.initializationProblem(migrations: [broken]))
            #expect(problem.code == .failed)
            #expect(problem.message.contains("migration 1, divide"))
            #expect(try await client.list(Self.inventory) == before)
        }
        try await client.initialize()
    }

    @Test("A connection that ends in the middle leaves nothing")
    func interrupted() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let admin = try await SchemaClient.open(server)
        let before = try await admin.list(Self.inventory)
        let client = try await SchemaClient.open(server)
        let suicidal = Migration(version: 1, needs: 1) { name in
            Migration.initial.statements(name) + [
                Statement("RESET ROLE"), Statement("SELECT pg_terminate_backend(pg_backend_pid())"),
            ]
        }
        let problem = try #require(try await client.initializationProblem(migrations: [suicidal]))
        #expect(problem.code == .interrupted)
        #expect(try await admin.list(Self.inventory) == before)
    }

    @Test("Login roles that nodes could not use are refused with the next step")
    func loginRoles() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE group1 NOLOGIN")
        try server.execute("CREATE ROLE separate LOGIN NOINHERIT")
        let client = try await SchemaClient.open(server)
        let absent = try #require(try await client.initializationProblem("reachd", "absent"))
        #expect(absent.code == .loginRole)
        #expect(absent.description.contains("\"absent\" does not exist; create it"))
        var refused = ["group1": "LOGIN"]
        if try await client.membershipsInherit {
            try await client.initialize("reachd", "separate")
            let node = try await SchemaClient.open(server, "separate")
            #expect(try await node.check().get() == UsableSchema(name: "reachd", version: FleetSchema.version))
        } else {
            refused["separate"] = "INHERIT"
        }
        for (role, attribute) in refused {
            let problem = try #require(try await client.initializationProblem("reachd", role))
            #expect(problem.code == .loginRole)
            #expect(problem.nextStep.contains("ALTER ROLE \"\(role)\" \(attribute)"))
        }
        for name in ["", String(repeating: "x", count: 64)] {
            #expect(try await client.initializationProblem("reachd", name)?.code == .invalidName)
        }
        for identity in ["", "0123456789ABCDEF0123456789ABCDEF", "0123"] {
            #expect(try await client.initializationProblem(identity: identity)?.code == .invalidName)
        }
    }

    @Test("A login role whose name needs quotes is set up")
    func quotedRole() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE \"my \"\"node\" LOGIN")
        let client = try await SchemaClient.open(server)
        try await client.initialize("order", "my \"node")
        let node = try await SchemaClient.open(server, "my%20%22node")
        #expect(try await node.check().get() == UsableSchema(name: "order", version: FleetSchema.version))
        #expect(try await client.initialize("order", "my \"node").allSatisfy { $0.outcome == .existed })
    }

    @Test("A login role of another fleet in the same database is refused")
    func loginInUse() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let client = try await SchemaClient.open(server)
        try await client.initialize("first")
        let problem = try #require(try await client.initializationProblem("second"))
        #expect(problem.code == .loginRoleInUse)
        #expect(problem.message.contains("search_path=first"))
        #expect(try await client.list("SELECT nspname::text FROM pg_namespace WHERE nspname = 'second'").isEmpty)
    }

    @Test("A schema with objects of another program is refused, an empty one is adopted")
    func existingSchema() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        try server.execute("CREATE SCHEMA occupied; CREATE TABLE occupied.log_head (a int)")
        try server.execute("CREATE SCHEMA reachd")
        let client = try await SchemaClient.open(server)
        #expect(try await client.initializationProblem("occupied")?.code == .schemaOccupied)
        let steps = try await client.initialize()
        #expect(steps.contains(SchemaStep(.schema("reachd"), .existed)))
        let node = try await SchemaClient.open(server, "berlin")
        #expect(try await node.check().get() == UsableSchema(name: "reachd", version: FleetSchema.version))
    }

    @Test("A login role that the privileges do not limit is named")
    func unlimited() async throws {
        let server = try PostgreSQLServer()
        let client = try await SchemaClient.open(server)
        let steps = try await client.initialize("reachd", "admin")
        #expect(steps.contains(SchemaStep(.unlimitedRole("admin"), .warning)))
    }

    @Test("A second call during the first is refused, and does not disturb it")
    func overlapping() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let client = try await SchemaClient.open(server)
        let results = try await client.initializeTwice()
        #expect(results == [.busy, nil])
        let node = try await SchemaClient.open(server, "berlin")
        #expect(try await node.check().get() == UsableSchema(name: "reachd", version: FleetSchema.version))
    }

    @Test("A standby is refused")
    func standby() async throws {
        let server = try PostgreSQLServer(isStandby: true)
        let client = try await SchemaClient.open(server)
        #expect(try await client.initializationProblem("reachd", "reachd")?.code == .standby)
        guard case .failure(let problem) = try await client.migration(Migration.all) else {
            Issue.record("a standby was migrated")
            return
        }
        #expect(problem.code == .standby)
    }

    @Test(
        "Schema names are plain identifiers",
        arguments: [
            "", "1a", "A", "a-b", "a b", "a\"b", "ä", "pg_a", "public", "information_schema",
            "a23456789012345678901234567890123456789012",
        ]
    )
    func invalidNames(name: String) {
        #expect(throws: SchemaProblem.self) { try SchemaName(name) }
    }

    @Test("Schema names have their roles", arguments: ["a", "_", "order", "a2345678901234567890123456789012345678901"])
    func validNames(name: String) throws {
        let schema = try SchemaName(name)
        #expect([schema.owner, schema.node, schema.reader] == ["\(name)_owner", "\(name)_node", "\(name)_reader"])
    }
}
