// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct NotificationTests {
    @Test("Notifications arrive while the connection is idle, in their order")
    func idle() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.uri(), passwordFile: server.passwordFile)
        try await client.execute("LISTEN reachd")
        for index in 0..<5 { try server.execute("NOTIFY reachd, '\(index) \u{1F9ED}'") }
        try await client.notifications.next { $0.payload.hasPrefix("4") }
        #expect(client.notifications.events.map(\.payload) == (0..<5).map { "\($0) \u{1F9ED}" })
        #expect(client.notifications.events.allSatisfy { $0.channel == "reachd" && $0.process > 0 })
    }

    @Test("Notifications arrive between statements of a busy connection, its own included")
    func busy() async throws {
        let server = try PostgreSQLServer()
        let client = try await DatabaseClient.open(server.socketURI)
        let sender = try await DatabaseClient.open(server.socketURI)
        try await client.execute("LISTEN reachd")
        let count = 300
        let own = client.executeAll((0..<count).map { "SELECT pg_notify('reachd', 'own \($0)')" })
        let others = sender.executeAll((0..<count).map { "SELECT pg_notify('reachd', 'other \($0)')" })
        try await client.notifications.next { $0.payload == "own \(count - 1)" }
        try await client.notifications.next { $0.payload == "other \(count - 1)" }
        try await own.next { $0.0.contains("own \(count - 1)'") }
        try await others.next { $0.0.contains("other \(count - 1)'") }
        for name in ["own", "other"] {
            let payloads = client.notifications.events.map(\.payload).filter { $0.hasPrefix(name) }
            #expect(payloads == (0..<count).map { "\(name) \($0)" })
        }
    }

    @Test("Ten thousand notifications of one transaction arrive at an idle connection over TLS")
    func burst() async throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate("server", in: folder)
        let server = try PostgreSQLServer(certificate: certificate)
        let client = try await DatabaseClient.open(
            server.uri("sslrootcert=\(certificate.path)"),
            passwordFile: server.passwordFile
        )
        try await client.execute("LISTEN reachd")
        try server.execute("SELECT count(pg_notify('reachd', g::text)) FROM generate_series(1, 10000) g")
        try await client.notifications.next { $0.payload == "10000" }
        #expect(client.notifications.count == 10_000)
    }
}
