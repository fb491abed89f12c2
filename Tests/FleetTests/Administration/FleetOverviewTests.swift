// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "A fleet's overview",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetOverviewTests {
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    private func addNode(
        _ name: String,
        until: Int,
        columns: String = "",
        values: String = "",
        _ admin: SchemaClient
    ) async throws {
        try await admin.execute(
            """
            INSERT INTO nodes (name, incarnation, location, version, capacity, since, until, resumed, epoch\(columns))
            VALUES ('\(name)', 1, 'berlin', '1.2.3', 100, \(Self.now) - 60000000, \(Self.now) + \(until), 1, 'e'\(values))
            """
        )
    }

    @Test("A new fleet is empty and has no coordinator")
    func empty() async throws {
        let (node, _) = try await SharedServer.makeFleet()
        let overview = try #require(try await node.overview())
        #expect(overview.sequence == 0 && overview.coordinator == nil)
        #expect(overview.targets == 0 && overview.unassigned == 0 && overview.inbox == 0)
        #expect(overview.states == [:] && overview.nodes.isEmpty)
        #expect(overview.settings == FleetSettings())
        #expect(overview.epoch.utf8.count == 16)
        #expect(!overview.isDurable && overview.logDays >= 6 && overview.problems == [])
    }

    @Test("Nodes are live, draining, departed or lost, with what they reported of themselves")
    func nodes() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        let minute = 60_000_000
        try await addNode("d-departed", until: minute, columns: ", departed", values: ", true", admin)
        try await addNode("c-lost", until: -1, columns: ", draining", values: ", true", admin)
        try await addNode("b-draining", until: minute, columns: ", draining", values: ", true", admin)
        try await addNode(
            "a-live",
            until: minute,
            columns: ", url, backlog, skew, round_trip",
            values: ", 'https://a', 7, -2000, 300",
            admin
        )
        try await addNode("e-departed", until: -1, columns: ", departed", values: ", true", admin)
        let overview = try #require(try await node.overview())
        #expect(overview.nodes.map(\.name) == ["a-live", "b-draining", "c-lost", "d-departed", "e-departed"])
        #expect(overview.nodes.map(\.state) == [.live, .draining, .lost, .departed, .departed])
        let live = overview.nodes[0]
        #expect(live.url == "https://a" && live.backlog == 7 && live.location == "berlin" && live.version == "1.2.3")
        #expect(live.skew == .milliseconds(-2) && live.roundTrip == .microseconds(300))
        #expect(live.capacity == 100 && live.targets == 0)
        #expect(live.since < overview.now && live.until > overview.now)
        #expect(overview.nodes[1].url == nil)
    }

    @Test("Targets are counted by state, by node and without a node; reports that wait are counted")
    func counts() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        let targets = (0..<6).map {
            FleetDeclaration(id: "t\($0)", placement: .single, text: "{}", interval: .seconds(1))
        }
        try await node.declare(FleetDocument(source: "main", declarations: targets))
        try await addNode("a", until: 60_000_000, admin)
        try await addNode("b", until: 60_000_000, admin)
        try await admin.execute(
            """
            INSERT INTO assignments (placement, shard, location, node, token, since)
            SELECT placement, shard, 'berlin', CASE id WHEN 't3' THEN 'b' WHEN 't4' THEN NULL ELSE 'a' END, 1, 1
            FROM targets WHERE id <> 't5'
            """
        )
        try await admin.execute("UPDATE verdicts SET state = 'up' WHERE target IN ('t0', 't1')")
        try await admin.execute("UPDATE verdicts SET state = 'down' WHERE target = 't2'")
        try await admin.execute(
            "INSERT INTO inbox (node, local, kind, placement, shard, location, token, at) VALUES ('a', 1, 'vote', 1, 1, 'berlin', 1, 1)"
        )
        try await admin.execute("UPDATE log_head SET coordinator = 'a', until = \(Self.now) + 60000000, seq = 41")
        let overview = try #require(try await node.overview())
        #expect(overview.targets == 6 && overview.unassigned == 2 && overview.inbox == 1)
        #expect(overview.states == ["up": 2, "down": 1, "unknown": 3])
        #expect(overview.nodes.map(\.targets) == [3, 1])
        #expect(overview.coordinator == "a" && overview.sequence == 41)
        #expect(overview.problems.map(\.code) == [.capacity])
        // Of a time when the clock was ahead.
        try await admin.execute("UPDATE log_head SET until = \(Self.now) + 3600000000")
        try await admin.execute("UPDATE nodes SET until = \(Self.now) + 3600000000 WHERE name = 'b'")
        let later = try #require(try await node.overview())
        #expect(later.coordinator == nil && later.nodes.map(\.state) == [.live, .lost])
        try await admin.execute("UPDATE log_head SET until = \(Self.now) - 1")
        #expect(try await node.overview()?.coordinator == nil)
        try await admin.execute("DELETE FROM log_head")
        #expect(try await node.overview() == nil)
    }

    @Test("What the database shows of its durability, and too few partitions, are facts of the fleet")
    func facts() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        try await admin.execute("UPDATE log_head SET durable = true, day = day + 5")
        let overview = try #require(try await node.overview())
        #expect(overview.isDurable && overview.logDays < FleetStatus.fewestLogDays)
        #expect(overview.problems.map(\.code) == [.logPartitions])
        #expect(overview.problems[0].detail.contains("for \(overview.logDays) more days"))
        // Behind a gap, further ones are of no use.
        let name = try await admin.table("SELECT to_char(day, 'YYYYMMDD') FROM log_head")[0]
        try await admin.execute("DROP TABLE log_\(name)")
        #expect(try await node.overview()?.logDays == -1)
    }

    @Test("A node is drained and taken back by its name; there is no other")
    func draining() async throws {
        let (node, admin) = try await SharedServer.makeFleet()
        try await addNode("a", until: 60_000_000, admin)
        #expect(try await node.setDraining(true, "a"))
        #expect(try await node.overview()?.nodes.map(\.state) == [.draining])
        #expect(try await node.setDraining(true, "a"))
        #expect(try await node.setDraining(false, "a"))
        #expect(try await node.overview()?.nodes.map(\.state) == [.live])
        #expect(try await !node.setDraining(true, "b"))
        #expect(try await !node.setDraining(true, "' OR true --"))
        #expect(try await node.table("SELECT name, draining FROM nodes") == ["a f"])
    }
}
