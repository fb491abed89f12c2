// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("A fleet whose database fails", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)))
struct FleetOutageTests {
    @Test(
        "Targets go down while the database is killed or frozen: nodes probe and serve, and the log has each change once",
        arguments: [true, false]
    )
    func outage(isKilled: Bool) async throws {
        let server = try PostgreSQLServer()
        try await TestFleet.with(server, settings: "{ lease: 1s }") { fleet in
            let (good, bad) = (try TargetPort(), try TargetPort())
            let nodes = try await fleet.start(["a", "b"])
            let (stable, failing) = ((10..<18).map { "s\($0)" }, (10..<18).map { "t\($0)" })
            try fleet.declare(
                Dictionary(
                    uniqueKeysWithValues: stable.map { ($0, good.port) } + failing.map { ($0, bad.port) }
                )
            )
            try await fleet.becomesUp(stable + failing)
            let owners = try await fleet.rows(TestFleet.owners)
            if isKilled { server.kill() } else { server.freeze() }
            for node in nodes { try await node.line("the fleet's database cannot be used") }
            bad.close()
            for owner in owners {
                let words = owner.split(separator: " ").map(String.init)
                let node = try #require(nodes.first { $0.name == words[1] })
                let expected = words[0].hasPrefix("t") ? "down" : "up"
                try await awaitValue("\(words[0]) is \(expected) on \(words[1])") {
                    try node.state(of: words[0]) == expected ? true : nil
                }
                #expect(try node.get("/targets?scope=node").status == 200)
            }
            if isKilled {
                let doctor = try nodes[0].doctor()
                #expect(doctor.contains("fail  fleet ") && !doctor.contains("fleet_database"), "\(doctor)")
                try server.start()
                try await fleet.reconnect()
            } else {
                server.thaw()
            }
            try await fleet.rows("SELECT count(*) FROM verdicts WHERE state = 'down'") { $0 == ["8"] }
            for node in nodes {
                try await node.line("the fleet's database can be used again")
                // Once for each reason until it works again, not for each attempt.
                let lines = node.lines("the fleet's database can").map { line in
                    line.split(separator: "reason=").dropFirst().first ?? "works"
                }
                #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 != $1 }, "\(node.log.events)")
            }
            for target in failing {
                #expect(try await fleet.changes(of: target) == ["unknown up -", "up down target"])
            }
            #expect(try await fleet.rows("SELECT count(*) FROM log WHERE type = 'state'") == ["24"])
            try await fleet.expectConsistentLog()
            try bad.open()
            for target in failing { try await fleet.change(of: target, to: "up") }
            try await fleet.expectConsistentLog()
            // A node ends in order without the database, too.
            if isKilled { server.kill() } else { server.freeze() }
            for node in nodes { #expect(try await node.terminate() == 0) }
        }
    }
}
