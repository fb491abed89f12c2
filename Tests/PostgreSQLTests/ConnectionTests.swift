// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct ConnectionTests {
    @Test("A connection over TCP with a password and one over a Unix socket execute statements")
    func executes() async throws {
        let server = try PostgreSQLServer()
        for (uri, file) in [(server.uri(), server.passwordFile as String?), (server.socketURI, nil)] {
            let client = try DatabaseClient(DatabaseClient.settings(uri, passwordFile: file))
            let found = try await client.connect()
            #expect(found.version >= 130_000)
            #expect(found.port == server.port)
            #expect(found.address == (file == nil ? nil : "127.0.0.1"))
            #expect(found.isInRecovery != true)
            #expect(found.usesTLS == false)
            let rows = try await client.execute(
                "SELECT $1::bigint + 1, current_setting('application_name')",
                [.integer(41)]
            )
            #expect(try rows.integer(0, 0) == 42)
            #expect(try rows.text(0, 1) == "reachd")
            client.close()
        }
    }

    @Test("Names are resolved on the loop, and each address is tried in order")
    func names() async throws {
        let server = try PostgreSQLServer()
        let settings = try DatabaseClient.settings(
            server.uri(host: "absent.example,db.example"),
            passwordFile: server.passwordFile
        )
        // Nothing listens on the first address.
        let client = try DatabaseClient(settings, hosts: "127.0.0.2 db.example\n127.0.0.1 db.example\n")
        let found = try await client.connect()
        #expect(found.host == "db.example")
        #expect(found.address == "127.0.0.1")
    }

    @Test("Without any server the error is that of the attempt that came furthest")
    func nothingThere() async throws {
        let port = try LoopbackPort.free()
        let uri = "postgresql://reachd@absent.example,127.0.0.1:\(port)/reachd?sslmode=disable"
        let client = try DatabaseClient(DatabaseClient.settings(uri))
        let error = await client.connectError()
        #expect(error?.reason == .unreachable)
        #expect(error?.message.contains("absent.example: the host does not exist") == true)
        let unknown = try DatabaseClient(DatabaseClient.settings("postgresql://reachd@absent.example/reachd"))
        #expect(await unknown.connectError()?.reason == .resolutionFailed)
        let socket = try DatabaseClient(DatabaseClient.settings("postgresql:///reachd?user=reachd&host=/nonexistent"))
        #expect(await socket.connectError()?.reason == .unreachable)
    }

    @Test("Wrong and missing passwords, unknown roles and databases have their reasons, and no message has a password")
    func authentication() async throws {
        let server = try PostgreSQLServer()
        let wrong = try server.folder.write("wr0ng-secret", to: "wrong")
        func error(_ uri: String, _ file: String?) async throws -> DatabaseError? {
            await (try DatabaseClient(DatabaseClient.settings(uri, passwordFile: file))).connectError()
        }
        let rejected = try await error(server.uri(), wrong)
        #expect(rejected?.reason == .authenticationFailed)
        #expect(rejected?.sqlState == "28P01")
        #expect(rejected?.message.contains("wr0ng") == false)
        #expect(try await error(server.uri(), nil)?.reason == .authenticationFailed)
        let uri = "postgresql://reachd@127.0.0.1:\(server.port)/absent?sslmode=disable"
        #expect(try await error(uri, server.passwordFile)?.reason == .noSuchDatabase)
        let absent = try await error(server.uri(), server.folder.path(of: "absent"))
        #expect(absent?.reason == .passwordFile)
    }

    @Test("The password file is read anew for each attempt")
    func passwordRotation() async throws {
        let server = try PostgreSQLServer()
        let file = try server.folder.write("old", to: "rotated")
        let settings = try DatabaseClient.settings(server.uri(), passwordFile: file)
        #expect(await (try DatabaseClient(settings)).connectError()?.reason == .authenticationFailed)
        try server.folder.replace(PostgreSQLServer.password + "\n", at: "rotated")
        #expect(await (try DatabaseClient(settings)).connectError() == nil)
    }

    @Test("A server without a free connection has its reason")
    func connectionLimit() async throws {
        let server = try PostgreSQLServer()
        try server.execute("ALTER ROLE reachd CONNECTION LIMIT 1")
        let first = try await DatabaseClient.open(server.socketURI)
        let second = try DatabaseClient(DatabaseClient.settings(server.socketURI))
        #expect(await second.connectError()?.reason == .tooManyConnections)
        try await first.execute("SELECT 1")
    }

    @Test("A parameter that libpq rejects is an error of the settings")
    func invalidParameter() async throws {
        let server = try PostgreSQLServer()
        let client = try DatabaseClient(
            DatabaseClient.settings(server.uri("sslmode=disable&ssl_min_protocol_version=9"))
        )
        #expect(await client.connectError()?.reason == .invalidSettings)
    }

    @Test("A client that goes without close() closes its connection")
    func abandoned() async throws {
        let server = try PostgreSQLServer()
        for _ in 0..<3 { try await DatabaseClient.open(server.socketURI).execute("SELECT 1") }
        try server.wait(for: "SELECT count(*) FROM pg_stat_activity WHERE usename = 'reachd'", toBe: "0")
    }
}
