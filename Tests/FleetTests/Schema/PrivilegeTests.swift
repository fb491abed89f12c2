// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Privileges in a fleet's schema",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct PrivilegeTests {
    private func makeFleet() async throws -> (server: PostgreSQLServer, node: SchemaClient) {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        try await SchemaClient.open(server).initialize()
        return (server, try await SchemaClient.open(server, "berlin"))
    }

    @Test("A node executes the statements of nodes and of the coordinator")
    func statements() async throws {
        let (_, node) = try await makeFleet()
        let lease = DatabaseValue.integer(60_000_000)
        let epoch = DatabaseValue.text("00ff")
        let registered = try await node.execute(
            MembershipStatements.register.sql,
            [.text("n1"), .text("berlin"), .null, .text("1.0"), .integer(1000), epoch, lease]
        )
        #expect(try registered.integer(0, 0) == 1)
        let name: [DatabaseValue] = [.text("n1"), .integer(1)]
        let renewed = try await node.execute(
            MembershipStatements.renew.sql,
            name + [lease, .integer(0), .null, .integer(0), .integer(0), .null, .bool(false)]
        )
        #expect(try renewed.text(0, 3) == SchemaClient.identity)
        let claimed = try await node.execute(CoordinatorStatement.claim.sql, name + [lease])
        #expect(try claimed.integer(0, 1) == 1)
        let coordinator = name + [.integer(1), lease]
        #expect(try await node.execute(CoordinatorStatement.keep.sql, coordinator).rowCount == 1)
        try await node.execute("INSERT INTO placements (watchers, quorum, locations) VALUES (1, 1, '{}')")
        let declared = try await node.execute(
            DeclareStatement.statement.sql,
            [
                .texts(["a", "b"]), .integers([1, 1]), .integers([5, 6]), .texts(["{}", "{}"]), .text("fleet"), .null,
                .integers([1, 1]), .booleans([false, false]), .texts([nil, "web"]),
            ]
        )
        #expect(try declared.integer(0, 0) == 1)
        try await node.execute("INSERT INTO dependencies VALUES ('a', 'b')")
        let assigned = try await node.execute(
            AssignStatement.statement.sql,
            coordinator + [
                .integer(1), .integers([1]), .integers([5]), .texts(["berlin"]), .texts(["n1"]), .integers([1]),
            ]
        )
        #expect(assigned.rowCount == 1)
        let one = DatabaseValue.integers([1])
        let none = DatabaseValue.texts([nil])
        let reported = try await node.execute(
            ReportStatements.report.sql,
            name + [
                epoch, one, .texts(["vote"]), one, .integers([5]), .texts(["berlin"]), one, .texts(["a"]),
                .texts(["down"]),
                none, none, none, one, one, none, .bool(true),
            ]
        )
        #expect(try reported.integer(0, 0) == 1)
        let inbox = try await node.execute(CoordinatorStatement.inbox.sql, [.integer(0), .integer(10)])
        #expect(inbox.rowCount == 1)
        let a = DatabaseValue.texts(["a"])
        let votes: [DatabaseValue] = [
            a, .texts(["berlin"]), .texts(["down"]), none, none, none, one, one, .texts(["n1"]),
        ]
        let verdicts: [DatabaseValue] = [a, .integers([0]), .texts(["down"]), none, none, none, one, .texts(["F3"])]
        let events: [DatabaseValue] = [
            a, .texts(["state"]), none, .texts(["{x}"]), .texts(["unknown"]), .texts(["down"]), none, none,
            .texts(["{}"]), one,
            .booleans([true]),
        ]
        let disagreements: [DatabaseValue] = [a, one, .integers([5]), one, one, .texts(["b"])]
        let confirmed: [DatabaseValue] = [one, .integers([5]), .texts(["berlin"]), one]
        let parameters =
            coordinator + [.integers([try inbox.integer(0, 0)])] + votes + verdicts + events + disagreements
        let written = try await node.execute(
            WriteStatement.statement.sql,
            parameters + confirmed + [.integer(7), none]
        )
        #expect(try (written.integer(0, 1), written.integer(0, 2), written.integer(0, 3)) == (1, 1, 1))
        let announcement = AnnounceStatement(
            identity: NodeIdentity(name: "n1", incarnation: 1),
            token: 1,
            lease: .seconds(60),
            stamp: 1,
            announcement: Announcement(
                nodes: [Announcement.NodeChange(name: "n1", location: "berlin", from: "", to: .live)]
            ),
            isolated: ["berlin"],
            now: .zero
        )
        let rollups: [DatabaseValue] =
            name + [
                .integer(RollupLength.day.stored), .integer(1), .texts(["a"]), .byteArrays([[1]]), .integer(2),
            ]
        let disputed: [DatabaseValue] = [.text("n1"), .integer(0), .integer(10)]
        let reads: [(String, [DatabaseValue], Int)] = [
            (MembershipStatements.ownAssignments.sql, [.text("n1")], 1),
            (CoordinatorStatement.look.sql, coordinator + [.integer(0)], 1),
            (CoordinatorStatement.assignments.sql, [], 1), (CoordinatorStatement.placements.sql, [], 1),
            (CoordinatorStatement.shardSizes.sql, [], 2),
            (CoordinatorStatement.standing.sql, [a], 1), (CoordinatorStatement.votes.sql, [a], 1),
            (CoordinatorStatement.blockingParents.sql, [.texts(["b"])], 1),
            (CoordinatorStatement.children.sql, [a, .text(""), .integer(10)], 1),
            (CoordinatorStatement.targetsOfShards.sql, [one, .integers([5]), .text(""), .integer(10)], 1),
            (CoordinatorStatement.dueDisagreements.sql, [.integer(1), .integer(10)], 1),
            ("SELECT type FROM log WHERE day >= $1::date AND seq > $2", [.text("2000-01-01"), .integer(0)], 1),
            (LogPartitions.create.sql, [.integer(7)], 1), ("SELECT first_seq FROM log_days", [], 1),
            (AnnounceStatement.statement.sql, announcement.parameters, 1),
            (MembershipStatements.disputed.sql, disputed, 0),
            (LogPartitions.drop.sql, [.integer(90)], 1), ("SELECT FROM schema_versions", [], Migration.all.count),
            (RollupPartitions.create.sql, [.integer(3)], 1), (RollupPartitions.drop.sql, [.integer(90)], 1),
            (RollupStatements.positions.sql, [.text("n1")], 0), (RollupStatements.store.sql, rollups, 1),
            (LogEvidence.statement.sql, [.integer(1)], 1), (EpochStatements.origin.sql, [], 1),
            (EpochStatements.record.sql, name + [.integer(1)] + LogOrigin().values, 1),
            (IncidentStatements.continuing.sql, [.integer(0)], 1),
            (IncidentStatements.members.sql, [one, .integer(0), .text(""), .integer(1)], 0),
            (IncidentStatements.named.sql, [a], 0), (IncidentStatements.ended.sql, [a], 0),
            (IncidentStatements.edits.sql, [.integer(1)], 0),
            (IncidentStatements.trim.sql, [.integer(0), .integer(1), .integer(1)], 1),
            (EpochStatements.begin.sql, EpochStatements.beginning(after: "other", as: "01"), 0),
        ]
        for (sql, parameters, count) in reads {
            #expect(try await node.execute(sql, parameters).rowCount == count, "\(sql)")
        }
        for table in [
            "targets", "verdicts", "votes", "disagreements", "dependencies", "inbox", "commands", "heartbeats",
            "incidents", "incident_members", "incident_edits",
        ] {
            try await node.execute("DELETE FROM \(table)")
        }
    }

    @Test("A node can neither change the schema, nor the log's past, nor roles")
    func forbidden() async throws {
        let (server, node) = try await makeFleet()
        try await node.execute(
            "INSERT INTO log (day, seq, stamp, at, recorded, type, data) SELECT day, 1, 1, 1, 1, 'state', '{}' FROM log_head"
        )
        let partition = try await node.list(
            "SELECT min(inhrelid::regclass::text) FROM pg_inherits WHERE inhparent = 'log'::regclass"
        )[0]
        let statements = [
            "CREATE TABLE extra (a int)", "CREATE VIEW extra AS SELECT 1", "CREATE INDEX ON log (seq)",
            "CREATE SCHEMA extra",
            "CREATE FUNCTION extra() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE ROLE extra",
            "CREATE DATABASE extra",
            "CREATE TABLE log_20000101 PARTITION OF log FOR VALUES FROM ('2000-01-01') TO ('2000-01-02')",
            "ALTER TABLE log ADD COLUMN extra int", "ALTER TABLE log DETACH PARTITION \(partition)",
            "ALTER FUNCTION create_log_partitions(integer) RESET search_path",
            "ALTER FUNCTION create_log_partitions(integer) SECURITY INVOKER",
            "CREATE OR REPLACE FUNCTION drop_log_partitions(days integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'",
            "ALTER SCHEMA reachd RENAME TO extra", "ALTER ROLE berlin CREATEROLE", "ALTER ROLE reachd_node LOGIN",
            "DROP TABLE log", "DROP TABLE \(partition)", "DROP TABLE rollups", "TRUNCATE rollups",
            "DELETE FROM rollups", "DELETE FROM rollup_positions", "DROP TABLE inbox",
            "DROP FUNCTION drop_log_partitions(integer)",
            "DROP SCHEMA reachd CASCADE", "DROP ROLE reachd_reader",
            "TRUNCATE log", "TRUNCATE \(partition)", "TRUNCATE inbox", "TRUNCATE verdicts",
            "DELETE FROM log", "DELETE FROM \(partition)", "UPDATE log SET data = ''",
            "UPDATE \(partition) SET data = ''",
            "INSERT INTO \(partition) SELECT * FROM log",
            "DELETE FROM log_head", "UPDATE log_head SET identity = 'other'",
            "INSERT INTO log_head (identity, epoch) VALUES ('', '')",
            "DELETE FROM log_days", "INSERT INTO log_days VALUES ('2000-01-01', 1)", "UPDATE inbox SET kind = ''",
            "DELETE FROM nodes", "DELETE FROM assignments", "DELETE FROM placements",
            "UPDATE placements SET quorum = 1",
            "INSERT INTO schema_versions VALUES (2, 2)", "UPDATE schema_versions SET needs = 9",
            "DELETE FROM schema_versions",
            "SET ROLE reachd_owner", "GRANT reachd_owner TO berlin",
        ]
        for sql in statements { #expect(await node.failure(sql) == .permissionDenied, "\(sql)") }
        // PostgreSQL only warns when a role grants what it may not grant.
        _ = await node.failure("GRANT ALL ON log TO PUBLIC")
        #expect(await node.failure("DELETE FROM log") == .permissionDenied)
        #expect(try server.execute("SELECT count(*) FROM reachd.log") == "1\n")
    }

    @Test("A member of the reader's role reads everything but declarations and the inbox, and writes nothing")
    func reader() async throws {
        let (server, node) = try await makeFleet()
        try await node.execute(
            DeclareStatement.statement.sql,
            [
                .texts(["a"]), .integers([1]), .integers([5]), .texts(["{\"token\": 1}"]), .text("fleet"), .null,
                .integers([1]),
                .booleans([false]), .texts([nil]),
            ]
        )
        try server.execute("CREATE ROLE dashboard LOGIN; GRANT reachd_reader TO dashboard")
        try server.execute("ALTER ROLE dashboard IN DATABASE reachd SET search_path = reachd")
        let reader = try await SchemaClient.open(server, "dashboard")
        for table in [
            "schema_versions", "log_head", "nodes", "placements", "assignments", "dependencies", "verdicts", "votes",
            "disagreements", "commands", "heartbeats", "log", "log_days", "rollups", "rollup_positions", "incidents",
            "incident_members",
        ] {
            #expect(await reader.failure("SELECT * FROM \(table)") == nil, "\(table)")
        }
        #expect(try await reader.list("SELECT id FROM targets") == ["a"])
        for sql in [
            "SELECT spec FROM targets", "SELECT * FROM targets", "SELECT * FROM inbox", "DELETE FROM votes",
            "UPDATE log_head SET seq = 0", "SELECT create_log_partitions(7)", "SELECT drop_log_partitions(1)",
            "SELECT create_rollup_partitions(1)", "SELECT drop_rollup_partitions(1)", "DELETE FROM rollups",
            "INSERT INTO nodes SELECT * FROM nodes", "CREATE TABLE extra (a int)",
        ] {
            #expect(await reader.failure(sql) == .permissionDenied, "\(sql)")
        }
        #expect(try await reader.check(.read).get() == UsableSchema(name: "reachd", version: FleetSchema.version))
        #expect(try await reader.checkProblem(.write)?.code == .roleMissing)
    }

    @Test("The functions ignore the caller's search path and temporary tables")
    func functions() async throws {
        let (_, node) = try await makeFleet()
        let settings = try await node.list(
            "SELECT array_to_string(proconfig, '; ') FROM pg_proc WHERE pronamespace = 'reachd'::regnamespace AND prosecdef"
        )
        #expect(settings == Array(repeating: "search_path=reachd, pg_temp; lock_timeout=100ms", count: 4))
        for sql in [
            "CREATE TEMPORARY TABLE log_head (day date)", "INSERT INTO log_head VALUES ('2000-01-01')",
            "CREATE TEMPORARY TABLE log (day date, seq bigint)",
            "CREATE FUNCTION pg_temp.to_char(date, text) RETURNS text LANGUAGE sql AS $$ SELECT 'x; DROP TABLE inbox' $$",
            "SELECT set_config('search_path', 'pg_temp, reachd', false)",
        ] {
            try await node.execute(sql)
        }
        #expect(try await node.execute("SELECT reachd.create_log_partitions(9)").integer(0, 0) == 9)
        #expect(
            try await node.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'reachd.log'::regclass").integer(
                0,
                0
            ) == 10
        )
    }

    @Test(
        "The settings of the login role apply behind a pooler in transaction mode",
        .enabled(if: PoolerServer.obstacle == nil)
    )
    func pooler() async throws {
        let server = try PostgreSQLServer()
        try await SchemaClient.open(server).initialize("reachd", "reachd")
        let pooler = try PoolerServer(for: server)
        let node = try await SchemaClient.open(uri: pooler.uri())
        let settings = try await node.execute(
            """
            SELECT current_setting('search_path'), current_setting('statement_timeout'), current_setting('lock_timeout'),
                current_setting('idle_in_transaction_session_timeout'), current_setting('jit')
            """
        )
        #expect(try (0..<5).map { try settings.text(0, $0) } == ["reachd", "5s", "1s", "5s", "off"])
        #expect(try await node.check().get() == UsableSchema(name: "reachd", version: FleetSchema.version))
    }

    @Test("Fleets in two schemas of a database do not see each other")
    func twoFleets() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN; CREATE ROLE paris LOGIN")
        let admin = try await SchemaClient.open(server)
        try await admin.initialize("reachd", "berlin")
        try await admin.initialize("staging", "paris", identity: String(repeating: "a", count: 32))
        let berlin = try await SchemaClient.open(server, "berlin")
        let paris = try await SchemaClient.open(server, "paris")
        let register: [DatabaseValue] = [
            .text("n1"), .text("berlin"), .null, .text("1.0"), .integer(1000), .text("00"), .integer(1),
        ]
        try await berlin.execute(MembershipStatements.register.sql, register)
        #expect(try await paris.execute("SELECT FROM nodes").rowCount == 0)
        #expect(try await paris.list("SELECT identity FROM log_head") == [String(repeating: "a", count: 32)])
        #expect(try await paris.list("SELECT current_schema()::text") == ["staging"])
        for sql in [
            "SELECT * FROM reachd.nodes", "SELECT * FROM reachd.log", "SELECT reachd.create_log_partitions(7)",
            "INSERT INTO reachd.inbox SELECT * FROM inbox",
        ] {
            #expect(await paris.failure(sql) == .permissionDenied, "\(sql)")
        }
        // Each maintains its own partitions.
        #expect(try await paris.execute(LogPartitions.create.sql, [.integer(9)]).integer(0, 0) == 9)
        #expect(try await berlin.execute(LogPartitions.create.sql, [.integer(7)]).integer(0, 0) == 7)
        #expect(try await berlin.check().get().name == "reachd")
        #expect(try await paris.check().get().name == "staging")
    }
}
