// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("A standby without a fleet", .needsPostgreSQL, .timeLimit(.minutes(15))) struct EmptyStandbyTests {
    @Test("It is reported as a standby: reachd fleet init cannot succeed there")
    func standby() async throws {
        let server = try PostgreSQLServer(isStandby: true)
        let node = try await FleetProcess("a", fleet: "database: \"\(server.socketURI)\"")
        let line = try await node.line("the fleet's database cannot be used")
        #expect(line.contains("reason=standby"), "\(line)")
    }
}
