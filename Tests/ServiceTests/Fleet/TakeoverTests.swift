// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import TestSupport
import Testing

@Suite("Takeover in a fleet", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetTakeoverTests {
    private static let changes = "SELECT seq, target, to_state FROM log WHERE type = 'state' ORDER BY seq"
    private static let count = "SELECT count(*) FROM log WHERE type = 'state'"

    @Test(
        "The owner of targets is killed, then the coordinator: others own the targets, and the log has no event for it"
    )
    func killed() async throws {
        try await TestFleet.with(settings: "{ lease: 2s }") { fleet in
            let port = try TargetPort()
            var nodes = try await fleet.start(["a", "b", "c"])
            let targets = (10..<34).map { "t\($0)" }
            try fleet.declare(Dictionary(uniqueKeysWithValues: targets.map { ($0, port.port) }))
            try await fleet.becomesUp(targets)
            let before = try await fleet.rows(Self.changes)
            for isCoordinator in [false, true] {
                let coordinator = try await fleet.coordinator()
                let victim = try #require(nodes.first { ($0.name == coordinator) == isCoordinator })
                try await fleet.rows(TestFleet.owners) { rows in rows.contains { $0.hasSuffix(" \(victim.name)") } }
                victim.kill()
                nodes.removeAll { $0 === victim }
                try await fleet.rows(
                    "SELECT t.id, a.node, a.confirmed = a.token FROM targets t JOIN assignments a USING (placement, shard)"
                ) { rows in
                    rows.count == 24 && rows.allSatisfy { $0.hasSuffix(" t") && !$0.contains(" \(victim.name) ") }
                }
                #expect(try fleet.command("status").output.contains("lost"))
            }
            #expect(try await fleet.coordinator() == nodes[0].name)
            // The survivor works: a real change is the next event.
            #expect(try await fleet.rows(Self.changes) == before)
            port.close()
            try await fleet.rows("SELECT count(*) FROM verdicts WHERE state = 'down'") { $0 == ["24"] }
            #expect(try await fleet.rows(Self.count) == ["48"])
            try await fleet.expectConsistentLog()
        }
    }

    @Test("The coordinator is frozen until another node has taken over and then continues: it writes nothing more")
    func frozen() async throws {
        try await TestFleet.with(settings: "{ lease: 1s }") { fleet in
            let (first, second) = (try TargetPort(), try TargetPort())
            let nodes = try await fleet.start(["a", "b", "c"])
            let targets = (10..<22).map { "t\($0)" }
            try fleet.declare(Dictionary(uniqueKeysWithValues: targets.map { ($0, first.port) } + [("x", second.port)]))
            try await fleet.becomesUp(targets + ["x"])
            let name = try await fleet.coordinator()
            let frozen = try #require(nodes.first { $0.name == name })
            frozen.process.kill(SIGSTOP)
            try await fleet.rows("SELECT coordinator FROM log_head") { !$0.contains(name) }
            second.close()
            try await fleet.change(of: "x", to: "down")
            frozen.process.kill(SIGCONT)
            try await frozen.line("another node is the fleet's coordinator")
            // What the frozen node found with its first probes afterwards, under old tokens, changes nothing.
            try await fleet.rows("SELECT until > (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM nodes")
            {
                $0 == ["t", "t", "t"]
            }
            try second.open()
            try await fleet.change(of: "x", to: "up")
            #expect(try await fleet.changes(of: "x") == ["unknown up -", "up down target", "down up -"])
            #expect(try await fleet.rows(Self.count) == ["\(targets.count + 3)"])
            try await fleet.expectConsistentLog()
        }
    }

    @Test(
        "The owner of a push target is killed: the next one has its state, and awaits the next heartbeat from the last one on"
    )
    func heartbeats() async throws {
        try await TestFleet.with(settings: "{ lease: 1s }") { fleet in
            let owner = try await fleet.start("a")
            try fleet.apply(
                """
                targets:
                  - { id: fails, address: 127.0.0.1, probe: { type: push, interval: 1h } }
                  - { id: late, address: 127.0.0.1, probe: { type: push, interval: 1h } }
                  - { id: works, address: 127.0.0.1, probe: { type: push, interval: 1h } }
                """,
                prints: "3 added"
            )
            func call(_ target: String, _ query: String = "") throws {
                let path = "/targets/\(target)/heartbeat\(query)"
                #expect(try HTTPClient.request("POST", path, port: owner.port).status == 204)
            }
            for target in ["fails", "late", "works"] { try call(target) }
            try await fleet.becomesUp(["fails", "late", "works"])
            try call("fails", "?status=fail&detail=no%20tape")
            try await fleet.change(of: "fails", to: "down")
            let count = try await fleet.rows(Self.count)
            // As commands they are gone, and the next one of a target is due in some seconds.
            try await fleet.rows("DELETE FROM commands")
            try await fleet.rows("UPDATE heartbeats SET at = at - 5395000000 WHERE target = 'late'")
            let next = try await fleet.start("b")
            try await next.line("registered in the fleet")
            owner.kill()
            try await fleet.rows(
                "SELECT bool_and(a.confirmed = a.token AND a.node = 'b') FROM targets t JOIN assignments a USING (placement, shard)"
            ) { $0 == ["t"] }
            try await fleet.change(of: "late", to: "down")
            let own = try next.get("/targets?scope=node&fields=state,reason").text
            #expect(own.contains("no tape") && !own.contains("unknown"), "\(own)")
            // It alone changed its state.
            #expect(try await fleet.changes(of: "late") == ["unknown up -", "up down target"])
            #expect(try await fleet.changes(of: "works") == ["unknown up -"])
            #expect(
                try await fleet.rows(Self.count).compactMap { Int($0) } == count.compactMap { Int($0) }.map { $0 + 1 }
            )
        }
    }

    @Test("SIGTERM: the node departs, its targets move at once, and it exits with 0", arguments: [false, true])
    func terminated(isCoordinator: Bool) async throws {
        try await TestFleet.with(settings: "{ lease: 20s }") { fleet in
            let port = try TargetPort()
            let nodes = try await fleet.start(["a", "b", "c"])
            let targets = (10..<22).map { "t\($0)" }
            try fleet.declare(Dictionary(uniqueKeysWithValues: targets.map { ($0, port.port) }))
            try await fleet.becomesUp(targets)
            let coordinator = try await fleet.coordinator()
            let leaving = try #require(nodes.first { ($0.name == coordinator) == isCoordinator })
            let lease = try #require(
                Int(try await fleet.rows("SELECT until FROM nodes WHERE name = '\(leaving.name)'")[0])
            )
            #expect(try await leaving.terminate() == 0)
            try await fleet.rows(TestFleet.owners) { rows in
                rows.count == 12 && !rows.contains { $0.hasSuffix(" \(leaving.name)") }
            }
            // Before the lease would have ended.
            let moved = try #require(Int(try await fleet.rows("SELECT max(since) FROM assignments")[0]))
            #expect(moved < lease)
            let status = try fleet.command("status", "--json").output
            #expect(status.contains(#""state":"departed""#), "\(status)")
            #expect(try await fleet.rows(Self.count) == ["12"])
            try await fleet.expectConsistentLog()
        }
    }
}
