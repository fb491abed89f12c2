// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct SessionTests {
    private func outcome(_ uri: String) async throws -> Result<DatabaseServer, DatabaseError> {
        let settings = try DatabaseClient.settings(uri)
        let client = try DatabaseClient(settings)
        do throws(DatabaseError) {
            return .success(try await client.connectChecked())
        } catch {
            return .failure(error)
        }
    }

    @Test("target_session_attrs selects among a standby and a primary as libpq does")
    func selection() async throws {
        let standby = try PostgreSQLServer(isStandby: true)
        let primary = try PostgreSQLServer()
        let hosts = "host=\(standby.folder.path),\(primary.folder.path)&port=\(standby.port),\(primary.port)"
        func port(_ attributes: String) async throws -> UInt16? {
            try await outcome("postgresql:///reachd?user=reachd&\(hosts)&target_session_attrs=\(attributes)").get().port
        }
        for attributes in ["read-write", "primary"] { #expect(try await port(attributes) == primary.port) }
        for attributes in ["any", "read-only", "standby", "prefer-standby"] {
            #expect(try await port(attributes) == standby.port)
        }
        let alone = "postgresql:///reachd?user=reachd&host=\(standby.folder.path)&port=\(standby.port)"
        #expect(try await outcome(alone).get().isInRecovery == true)
        guard case .failure(let error) = try await outcome("\(alone)&target_session_attrs=read-write") else {
            Issue.record("a standby was accepted")
            return
        }
        #expect(error.reason == .wrongSession)
        #expect(error.message.contains("is a standby"))
    }

    @Test("prefer-standby accepts a primary when there is no standby; a read-only primary is not read-write")
    func preference() async throws {
        let primary = try PostgreSQLServer(settings: ["default_transaction_read_only": "off"])
        let found = try await outcome("\(primary.socketURI)&target_session_attrs=prefer-standby").get()
        #expect(found.isInRecovery == false)
        try primary.execute("ALTER ROLE reachd SET default_transaction_read_only = on")
        guard case .failure(let error) = try await outcome("\(primary.socketURI)&target_session_attrs=read-write")
        else {
            Issue.record("a read-only session was accepted")
            return
        }
        #expect(error.reason == .wrongSession)
        #expect(try await outcome("\(primary.socketURI)&target_session_attrs=read-only").get().isInRecovery == false)
    }

    @Test(
        "Through a pooler that reports nothing, the session is asked",
        .enabled(if: PoolerServer.obstacle == nil, "\(PoolerServer.obstacle ?? "")")
    )
    func pooler() async throws {
        let primary = try PostgreSQLServer()
        let pooler = try PoolerServer(for: primary)
        let found = try await outcome(pooler.uri("sslmode=disable&target_session_attrs=read-write")).get()
        #expect(found.isInRecovery == false)
        guard case .failure(let error) = try await outcome(pooler.uri("sslmode=disable&target_session_attrs=standby"))
        else {
            Issue.record("a primary was accepted")
            return
        }
        #expect(error.reason == .wrongSession)
    }
}
