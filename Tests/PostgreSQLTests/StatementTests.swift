// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct StatementTests {
    @Test("Statements are executed in the order of their calls, also after an error")
    func order() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.socketURI)
        try await client.execute("CREATE TABLE log (id serial, text text)")
        let statements = (0..<50).map { $0 % 10 == 5 ? "SELECT 1/0" : "INSERT INTO log (text) VALUES ('\($0)')" }
        let results = client.executeAll(statements)
        _ = try await client.execute("SELECT 1")
        #expect(results.events.map(\.0) == statements)
        for (sql, error) in results.events { #expect(error?.sqlState == (sql == "SELECT 1/0" ? "22012" : nil)) }
        let rows = try await client.execute("SELECT array_agg(text ORDER BY id) FROM log")
        #expect(try rows.texts(0, 0) == (0..<50).filter { $0 % 10 != 5 }.map { "\($0)" })
    }

    @Test("Errors of the server have their reasons, and the connection stays open")
    func errors() async throws {
        let server = try PostgreSQLServer()
        try server.execute("CREATE TABLE secret (a int)")
        let client = try await DatabaseClient.open(server.socketURI)
        try await client.execute("CREATE TABLE item (id int PRIMARY KEY, CHECK (id < 10))")
        try await client.execute("INSERT INTO item VALUES (1)")
        let cases: [(String, DatabaseError.Reason)] = [
            ("SELECT * FROM absent", .missingObject), ("SELECT * FROM absent.table", .missingObject),
            ("SELECT absent()", .missingObject), ("SELECT absent FROM item", .missingObject),
            ("SELEC", .invalidStatement),
            ("INSERT INTO item VALUES (1)", .constraint), ("INSERT INTO item VALUES (11)", .constraint),
            ("SELECT 'x'::int", .invalidInput), ("SELECT * FROM secret", .permissionDenied),
            ("SELECT set_config('statement_timeout', '500', false)", .serverError),
            ("SELECT pg_sleep(60)", .statementTimeout),
            ("SELECT set_config('statement_timeout', '0', false)", .serverError),
            ("SELECT set_config('default_transaction_read_only', 'on', false)", .serverError),
            ("INSERT INTO item VALUES (2)", .readOnly), ("SELECT 1; SELECT 2", .invalidStatement),
        ]
        for (sql, reason) in cases {
            let error = await client.executeError(sql)
            if sql.contains("set_config") {
                #expect(error == nil)
            } else {
                #expect(error?.reason == reason, "\(sql): \(String(describing: error))")
                #expect(error?.sqlState != nil)
            }
        }
        #expect(try await client.execute("SELECT 1").integer(0, 0) == 1)
        #expect(client.ends.events.isEmpty)
    }

    @Test("A lock that is not granted in time has its reason")
    func locks() async throws {
        let server = try PostgreSQLServer(settings: ["lock_timeout": "50"])
        let first = try await DatabaseClient.open(server.socketURI)
        let second = try await DatabaseClient.open(server.socketURI)
        try await first.execute("SELECT pg_advisory_lock(1)")
        #expect(await second.executeError("SELECT pg_advisory_lock(1)")?.reason == .lockTimeout)
    }

    @Test("Counts and shapes of results without rows")
    func shapes() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.socketURI)
        let created = try await client.execute("CREATE TABLE item (id int)")
        #expect(created.rowCount == 0 && created.columnCount == 0 && created.affectedRows == 0)
        #expect(try await client.execute("INSERT INTO item SELECT generate_series(1, 7)").affectedRows == 7)
        #expect(try await client.execute("UPDATE item SET id = 0 WHERE id > 4").affectedRows == 3)
        let none = try await client.execute("SELECT id, id FROM item WHERE false")
        #expect(none.rowCount == 0 && none.columnCount == 2 && none.affectedRows == 0)
        #expect(try await client.execute("").rowCount == 0)
        let columns = try await client.execute("SELECT FROM item")
        #expect(columns.rowCount == 7 && columns.columnCount == 0)
        #expect(throws: DatabaseError.self) { try columns.text(0, 0) }
    }

    @Test("A statement and a parameter with a zero byte fail without being sent; the name is in the message")
    func zeroBytes() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.socketURI)
        #expect(await client.executeError("SELECT 1\0")?.reason == .invalidInput)
        #expect(await client.executeError("SELECT $1", [.text("\0")])?.reason == .invalidInput)
        #expect(try await client.execute("SELECT 1").integer(0, 0) == 1)
    }

    @Test("COPY closes the connection", arguments: ["COPY (SELECT 1) TO STDOUT", "COPY item FROM STDIN"])
    func copy(sql: String) async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.socketURI)
        try await client.execute("CREATE TABLE item (id int)")
        #expect(await client.executeError(sql)?.reason == .protocolViolation)
        #expect(try await client.ends.next().reason == .protocolViolation)
        #expect(await client.executeError("SELECT 1")?.reason == .closed)
    }

    @Test("Statements beyond the queue's bound fail; those in it are executed")
    func queueBound() async throws {
        let server = try PostgreSQLServer()
        var settings = try DatabaseClient.settings(server.socketURI)
        settings.queueLimit = 3
        let client = try DatabaseClient(settings)
        _ = try await client.connect()
        let results = client.executeAll((0..<6).map { "SELECT \($0)" })
        for index in 0..<6 { try await results.next { $0.0 == "SELECT \(index)" } }
        let full = results.events.filter { $0.1?.reason == .queueFull }.map(\.0)
        #expect(full == ["SELECT 4", "SELECT 5"])
        #expect(results.events.filter { $0.1 == nil }.map(\.0) == (0..<4).map { "SELECT \($0)" })
    }

    @Test("close() fails what is pending with closed, once, and later calls fail as well")
    func closing() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.socketURI)
        let results = client.executeAll(["SELECT pg_sleep(60)", "SELECT 1"])
        client.close()
        client.close()
        #expect(results.events.map { $0.1?.reason } == [.closed, .closed])
        #expect(await client.executeError("SELECT 1")?.reason == .closed)
        #expect(await client.connectError()?.reason == .closed)
        #expect(client.ends.events.isEmpty)
    }

    @Test("A statement before connect() fails with closed, and so does connect() when closed meanwhile")
    func notOpen() async throws {
        let server = try PostgreSQLServer()
        let client = try DatabaseClient(DatabaseClient.settings(server.socketURI))
        #expect(await client.executeError("SELECT 1")?.reason == .closed)
        async let error = client.connectError()
        _ = await client.executeError("SELECT 1")
        client.close()
        let reason = await error?.reason
        #expect(reason == .closed || reason == nil)
    }
}
