// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Configuration

@Suite("Secrets of the section fleet") struct FleetSecrecyTests {
    @Test("a password in the URI is not repeated in the message")
    func secrecy() {
        for uri in [
            "postgresql://reachd:secret@db.example/reachd", "postgresql://reachd@db.example/reachd?password=secret",
        ] {
            let found = diagnostics("fleet:\n  database: \"\(uri)\"")
            #expect(found.count == 1 && !found[0].contains("secret"), "\(found)")
            let variable = diagnostics("", environment: ["REACHD_FLEET_DATABASE": uri])
            #expect(variable.count == 1 && !variable[0].contains("secret"), "\(variable)")
        }
    }
}
