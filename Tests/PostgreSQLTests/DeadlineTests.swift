// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct DeadlineTests {
    @Test("The deadline of a statement closes the connection to a frozen server, and what waits fails with closed")
    func frozen() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.uri(), passwordFile: server.passwordFile)
        server.freeze()
        let results = client.executeAll(["SELECT 1", "SELECT 2", "SELECT 3"], within: .milliseconds(200))
        #expect(try await client.ends.next().reason == .timeout)
        #expect(results.events.map { $0.1?.reason } == [.timeout, .closed, .closed])
        server.thaw()
        let again = try await DatabaseClient.open(server.uri(), passwordFile: server.passwordFile)
        #expect(try await again.execute("SELECT 1").integer(0, 0) == 1)
    }

    @Test("The deadline also applies to the settings' default and to sending megabytes")
    func defaultDeadline() async throws {
        let server = try PostgreSQLServer()
        var settings = try DatabaseClient.settings(server.uri(), passwordFile: server.passwordFile)
        settings.statementTimeout = .milliseconds(200)
        let client = try DatabaseClient(settings)
        _ = try await client.connect()
        server.freeze()
        let error = await client.executeError(
            "SELECT $1",
            [.text(String(repeating: "x", count: 16 << 20))],
            within: nil
        )
        #expect(error?.reason == .timeout)
        server.thaw()
    }

    @Test("A frozen server is left for the next host after the deadline of an attempt")
    func frozenFirst() async throws {
        let frozen = try PostgreSQLServer()
        let server = try PostgreSQLServer()
        let uri = "postgresql://reachd@127.0.0.1:\(frozen.port),127.0.0.1:\(server.port)/reachd?sslmode=disable"
        var settings = try DatabaseClient.settings(uri, passwordFile: server.passwordFile)
        frozen.freeze()
        settings.attemptTimeout = .milliseconds(300)
        settings.connectTimeout = .seconds(60)
        let client = try DatabaseClient(settings)
        // A busy machine may need more than one attempt for the server that works.
        var found = try? await client.connect()
        while found == nil {
            try Task.checkCancellation()
            found = try? await DatabaseClient(settings).connect()
        }
        #expect(found?.port == server.port)
        frozen.thaw()
    }

    @Test("The deadline of connecting applies to all hosts together")
    func connectDeadline() async throws {
        let server = try PostgreSQLServer()
        let hosts = Array(repeating: "127.0.0.1:\(server.port)", count: 16).joined(separator: ",")
        var settings = try DatabaseClient.settings("postgresql://reachd@\(hosts)/reachd?sslmode=disable")
        settings.attemptTimeout = .seconds(20)
        settings.connectTimeout = .milliseconds(300)
        server.freeze()
        let client = try DatabaseClient(settings)
        #expect(await client.connectError()?.reason == .connectTimeout)
        server.thaw()
    }

    @Test("A server that is killed in mid-statement ends the connection once")
    func killed() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.uri(), passwordFile: server.passwordFile)
        let results = client.executeAll(["SELECT pg_sleep(600)", "SELECT 1"], within: .seconds(600))
        try server.wait(for: "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", toBe: "1")
        server.kill()
        #expect(try await client.ends.next().reason == .connectionLost)
        #expect(results.events.map { $0.1?.reason } == [.connectionLost, .closed])
        #expect(client.ends.count == 1)
        try server.start()
        _ = try await DatabaseClient.open(server.uri(), passwordFile: server.passwordFile)
    }

    @Test("A server that shuts down says so to idle and to busy connections")
    func shutdown() async throws {
        let server = try PostgreSQLServer()
        let idle = try await DatabaseClient.open(server.uri(), passwordFile: server.passwordFile)
        let busy = try await DatabaseClient.open(server.socketURI)
        let results = busy.executeAll(["SELECT pg_sleep(600)", "SELECT 1"], within: .seconds(600))
        try server.wait(for: "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", toBe: "1")
        try server.stop()
        let end = try await idle.ends.next()
        #expect(end.reason == .shuttingDown)
        #expect(end.sqlState == "57P01")
        #expect(try await busy.ends.next().reason == .shuttingDown)
        #expect(results.events.map { $0.1?.reason } == [.shuttingDown, .closed])
    }
}
