// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@Suite("Nodes of a fleet", .needsPostgreSQL, .serialized, .timeLimit(.minutes(15)), .fleetServer)
struct FleetMembershipTests {
    @Test("Three nodes join: each target has one owner, a verdict, and the fleet's log has each change once")
    func join() async throws {
        try await TestFleet.with { fleet in
            let (good, bad) = (try TargetPort(), try TargetPort())
            let nodes = try await fleet.start(["a", "b", "c"])
            var targets = Dictionary(uniqueKeysWithValues: (10..<34).map { ("t\($0)", good.port) })
            targets["t10"] = bad.port
            try fleet.declare(targets)
            try await fleet.becomesUp(targets.keys)
            let owners = try await fleet.rows(TestFleet.owners)
            #expect(owners.map { $0.split(separator: " ")[0] } == targets.keys.sorted().map { $0[...] })
            #expect(Set(owners.map { $0.suffix(1) }) == ["a", "b", "c"])
            // A node has what is assigned to it, and no other node does.
            for node in nodes {
                let own = owners.filter { $0.hasSuffix(" \(node.name)") }.map { String($0.dropLast(2)) }
                #expect(try targets.keys.filter { try node.state(of: $0) == "up" }.sorted() == own)
            }
            bad.close()
            try await fleet.change(of: "t10", to: "down")
            try bad.open()
            try await fleet.change(of: "t10", to: "up")
            #expect(
                try await fleet.changes(of: "t10") == ["unknown up -", "up down target", "down up -"]
            )
            #expect(try await fleet.changes(of: "t11") == ["unknown up -"])
            try await fleet.expectConsistentLog()
            let status = try fleet.command("status")
            #expect(status.status == 0)
            #expect(status.lines.first == "24 targets: 24 up", "\(status.output)")
            #expect(status.lines.count { $0.contains("live") } == 3, "\(status.output)")
        }
    }

    @Test("Two processes have one name: the older one stops reporting and says why, the newer one works")
    func twins() async throws {
        try await TestFleet.with { fleet in
            let port = try TargetPort()
            let older = try await fleet.start("a")
            try fleet.declare(["t1": port.port, "t2": port.port])
            try await fleet.becomesUp(["t1", "t2"])
            let newer = try await fleet.start("a")
            let line = try await older.line("another process registered the name of this node")
            #expect(line.contains("error") && line.contains("fleet.node"), "\(line)")
            try await awaitValue("the newer one has the targets") { try newer.state(of: "t2") == "up" ? true : nil }
            port.close()
            try await fleet.change(of: "t1", to: "down")
            try await fleet.change(of: "t2", to: "down")
            #expect(try await fleet.changes(of: "t1") == ["unknown up -", "up down target"])
            #expect(try await fleet.rows("SELECT name, incarnation FROM nodes") == ["a 2"])
            // The older one still serves what it knows.
            #expect(try older.get("/targets?scope=node").status == 200)
            #expect(older.lines("another process registered").count == 1)
            #expect(newer.lines("another process registered").isEmpty)
            let doctor = try older.doctor()
            #expect(
                doctor.contains("warn  fleet_replaced") && doctor.contains("give each its own fleet.node"),
                "\(doctor)"
            )
            #expect(try !newer.doctor().contains("fleet_replaced"))
            try await fleet.expectConsistentLog()
        }
    }

    @Test("fleet drain moves all targets of a node away, undrain lets them return, without an event")
    func drain() async throws {
        try await TestFleet.with { fleet in
            let port = try TargetPort()
            let nodes = try await fleet.start(["a", "b"])
            let targets = (10..<30).map { "t\($0)" }
            try fleet.declare(Dictionary(uniqueKeysWithValues: targets.map { ($0, port.port) }))
            try await fleet.becomesUp(targets)
            let drained = try fleet.command("drain", "a")
            #expect(drained.status == 0 && drained.output == "a: draining\n", "\(drained.output)")
            try await fleet.rows(TestFleet.owners) { rows in rows.count == 20 && rows.allSatisfy { $0.hasSuffix(" b") }
            }
            #expect(try fleet.command("status").output.contains("draining"))
            try await awaitValue("the drained node has no target") {
                try nodes[0].state(of: "t10") == nil && nodes[0].state(of: "t29") == nil ? true : nil
            }
            #expect(try fleet.command("undrain", "a").output == "a: takes targets\n")
            try await fleet.rows(TestFleet.owners) { rows in rows.contains { $0.hasSuffix(" a") } }
            try await fleet.becomesUp(targets)
            #expect(try await fleet.rows("SELECT count(*) FROM log WHERE type = 'state'") == ["20"])
            try await fleet.expectConsistentLog()
            let unknown = try fleet.command("drain", "nobody")
            #expect(unknown.status == 1)
            #expect(unknown.output.contains("the fleet has no node nobody; reachd fleet nodes lists all"))
        }
    }
}
