// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"))
struct LimitTests {
    @Test(
        "A result above the limit closes the connection: many rows, one long value, many empty values",
        arguments: [
            "SELECT repeat('x', 1000) FROM generate_series(1, 100000)", "SELECT repeat('x', 100000000)",
            "SELECT '', NULL FROM generate_series(1, 1000000)",
        ]
    )
    func resultLimit(sql: String) async throws {
        let server = try PostgreSQLServer()
        for uri in [server.uri(), server.socketURI] {
            var settings = try DatabaseClient.settings(uri, passwordFile: server.passwordFile)
            settings.resultLimit = 1 << 20
            let client = try DatabaseClient(settings)
            _ = try await client.connect()
            #expect(try await client.execute("SELECT repeat('x', 1000000)").rowCount == 1)
            #expect(await client.executeError(sql)?.reason == .resultTooLarge)
            #expect(try await client.ends.next().reason == .resultTooLarge)
        }
    }

    @Test("Ten thousand statements and two hundred connections leave descriptors and memory as they were")
    func resources() async throws {
        let server = try PostgreSQLServer()
        let descriptors = { try Command.run(["sh", "-c", "ls /proc/$PPID/fd | wc -l"]) }
        func statements(_ client: DatabaseClient, _ count: Int) async throws {
            for batch in 0..<(count / 500) {
                let results = client.executeAll((0..<500).map { "SELECT \($0), '{a,NULL}'::text[], \(batch)" })
                try await client.execute("SELECT $1::bigint, $2::text[]", [.integer(1), .texts(["a", nil])])
                #expect(results.count == 500 && results.events.allSatisfy { $0.1 == nil })
            }
        }
        func connections(_ count: Int) async throws {
            for index in 0..<count {
                let client = try DatabaseClient(
                    DatabaseClient.settings(index.isMultiple(of: 2) ? server.socketURI : server.uri())
                )
                // Every second one lacks the password.
                let error = await client.connectError()
                #expect((error == nil) == index.isMultiple(of: 2))
                client.close()
            }
        }
        let client = try await DatabaseClient.open(server.socketURI)
        try await statements(client, 500)
        try await connections(20)
        let bytes = Heap.bytesInUse
        let before = try descriptors()
        try await statements(client, 10_000)
        try await connections(200)
        // Other tests run in this process meanwhile, with descriptors and memory of their own.
        let grown = (Int(try descriptors().trimmed) ?? 0) - (Int(before.trimmed) ?? 0)
        #expect(grown < 100, "descriptors: \(before) and \(grown) more")
        #expect(Heap.bytesInUse < bytes + (64 << 20))
        #expect(client.ends.events.isEmpty)
    }
}

extension String {
    fileprivate var trimmed: String { String(filter { $0.isNumber }) }
}
