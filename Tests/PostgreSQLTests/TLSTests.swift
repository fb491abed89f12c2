// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct TLSTests {
    @Test("Certificates are verified with name and authority unless sslmode says otherwise")
    func verification() async throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate("server", in: folder)
        let server = try PostgreSQLServer(certificate: certificate)
        func connect(_ uri: String) async throws -> Result<DatabaseServer, DatabaseError> {
            let settings = try DatabaseClient.settings(uri, passwordFile: server.passwordFile)
            let client = try DatabaseClient(settings, hosts: "127.0.0.1 localhost other.example\n")
            do throws(DatabaseError) {
                return .success(try await client.connectChecked())
            } catch {
                return .failure(error)
            }
        }
        func reason(_ uri: String) async throws -> DatabaseError.Reason? {
            if case .failure(let error) = try await connect(uri) { error.reason } else { nil }
        }
        let trusted = "sslrootcert=\(certificate.path)"
        #expect(try await connect(server.uri(trusted)).get().usesTLS)
        #expect(try await connect(server.uri(trusted, host: "localhost")).get().usesTLS)
        #expect(try await connect(server.uri("sslmode=require")).get().usesTLS)
        #expect(try await reason(server.uri(trusted, host: "other.example")) == .tlsNameMismatch)
        #expect(try await reason(server.uri("\(trusted)&sslmode=verify-ca", host: "other.example")) == nil)
        #expect(try await reason(server.uri("")) == .tlsFailed)
        #expect(try await reason(server.uri("sslrootcert=/nonexistent/ca.pem")) == .tlsFailed)
    }

    @Test("libpq may close the socket and open another in mid-connect: sslmode=allow where the server requires TLS")
    func reopened() async throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate("server", in: folder)
        let server = try PostgreSQLServer(certificate: certificate)
        try server.stop()
        let rules = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n"
        try server.folder.write(rules, to: "data/pg_hba.conf")
        try server.start()
        let settings = try DatabaseClient.settings(server.uri("sslmode=allow"), passwordFile: server.passwordFile)
        for _ in 0..<10 { #expect(try await DatabaseClient(settings).connect().usesTLS) }
    }

    @Test("A server without TLS is not accepted by default")
    func required() async throws {
        let server = try PostgreSQLServer()
        let client = try DatabaseClient(DatabaseClient.settings(server.uri(""), passwordFile: server.passwordFile))
        #expect(await client.connectError()?.reason == .tlsFailed)
    }

    @Test("Large results arrive whole over TLS")
    func largeResults() async throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate("server", in: folder)
        let server = try PostgreSQLServer(certificate: certificate)
        let client = try await DatabaseClient.open(
            server.uri("sslrootcert=\(certificate.path)"),
            passwordFile: server.passwordFile
        )
        try await LargeResults.check(client)
    }

    @Test(
        "Large results arrive whole through a pooler in transaction mode, over TLS",
        .enabled(if: PoolerServer.obstacle == nil, "\(PoolerServer.obstacle ?? "")")
    )
    func pooler() async throws {
        let folder = try TemporaryFolder()
        let certificate = try SelfSignedCertificate("server", in: folder)
        let server = try PostgreSQLServer()
        let pooler = try PoolerServer(for: server, certificate: certificate)
        let uri = pooler.uri("sslrootcert=\(certificate.path)")
        let first = try await DatabaseClient.open(uri)
        let second = try await DatabaseClient.open(uri)
        // Both share one connection to the server.
        let id = try await first.execute("SELECT pg_backend_pid()").integer(0, 0)
        #expect(try await second.execute("SELECT pg_backend_pid()").integer(0, 0) == id)
        async let other: Void = LargeResults.check(second)
        try await LargeResults.check(first)
        try await other
    }
}

/// Results around the sizes of TLS records and of libpq's buffer.
enum LargeResults {
    static func check(_ client: DatabaseClient) async throws {
        for size in [16_000, 16_300, 16_350, 16_384, 16_400, 32_768, 40_000, 65_536, 1_000_000] {
            let text = try await client.execute("SELECT repeat('x', $1::int)", [.integer(Int64(size))]).text(0, 0)
            #expect(text.utf8.count == size)
        }
        // Every length of the last record.
        for count in stride(from: 1, through: 2_000, by: 37) {
            let rows = try await client.execute(
                "SELECT g, repeat('y', 97) FROM generate_series(1, $1::int) g",
                [.integer(Int64(count))]
            )
            #expect(rows.rowCount == count)
            #expect(try rows.integer(count - 1, 0) == count)
        }
        let rows = try await client.execute("SELECT g, md5(g::text) FROM generate_series(1, 50000) g")
        #expect(rows.rowCount == 50_000)
        #expect(try rows.integer(49_999, 0) == 50_000)
        #expect(try rows.text(49_999, 1).utf8.count == 32)
    }
}
