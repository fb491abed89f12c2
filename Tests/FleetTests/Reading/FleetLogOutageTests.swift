// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "The fleet's log while its database fails",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct FleetLogOutageTests {
    @Test("A reader continues without a gap after the database was stopped or killed")
    func outage() async throws {
        let server = try PostgreSQLServer()
        let scene = try await ReaderScene(server)
        try await scene.admin.execute("SELECT create_log_partitions(1)")
        let node = try scene.makeReader()
        let reader = LogReader(node.reader.log)
        _ = try await reader.reach(0)
        try await scene.log(3)
        _ = try await reader.reach(3)
        for (round, isKilled) in [false, true].enumerated() {
            if isKilled { server.kill() } else { try server.stop() }
            await #expect(throws: FleetFault.self) { try await node.page() }
            #expect(node.reader.fault != nil)
            #expect(node.reader.log.sequence == UInt64(3 + round * 1_500))
            try await server.restart()
            // What happens before the node is back.
            try server.execute(
                """
                SET search_path = reachd;
                WITH h AS (UPDATE log_head SET seq = seq + 1500 RETURNING seq - 1500 AS base, day)
                INSERT INTO log (day, seq, stamp, at, recorded, type, target, from_state, to_state, data)
                SELECT day, base + n, 1, 1, 1, 'state', 't', 'up', 'down', '{}' FROM h, generate_series(1, 1500) n
                """
            )
            let newest = UInt64(3 + (round + 1) * 1_500)
            #expect(try await reader.reach(newest).map(\.sequence) == Array(1...newest))
            #expect(node.reader.fault == nil)
        }
    }
}

extension PostgreSQLServer {
    /// Starts the server after ``stop()`` or ``kill()``. It refuses to start until the last process of the one before is gone.
    fileprivate func restart() async throws {
        for _ in 0..<100 {
            do { return try start() } catch  where "\(error)".contains("shared memory block") { continue }
        }
        try start()
    }
}
