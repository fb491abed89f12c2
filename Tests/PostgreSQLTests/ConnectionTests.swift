// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct ConnectionTests {
    @Test("A connection over TCP with a password and one over a Unix socket execute statements")
    func executes() async throws {
        let server = try PostgreSQLServer()
        for (uri, file) in [(server.uri(), server.passwordFile as String?), (server.socketURI, nil)] {
            let client = try DatabaseClient(DatabaseSettings(uri: uri, passwordFile: file))
            let found = try await client.connect()
            #expect(found.version >= 130_000)
            #expect(found.isInRecovery == false)
            #expect(found.usesTLS == false)
            let rows = try await client.execute("SELECT $1::bigint + 1", [.integer(41)])
            #expect(try rows.integer(0, 0) == 42)
            client.close()
        }
    }
}
