// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Isolated locations and events about nodes, on PostgreSQL",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct AnnouncementTests {
    private static let locations = ["berlin", "paris", "tokyo"]

    /// A fleet with a node in each location and targets that are up everywhere.
    private static func start(_ names: [String]) async throws -> (StagedFleet, hosts: [CoordinatorHost], placement: Int)
    {
        let fleet = try await StagedFleet()
        for location in locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 3, quorum: 2, in: locations)
        try await fleet.declare(names, placement: placement)
        let hosts = try await fleet.hosts(2)
        try await hosts[0].renew()
        let shards = Set(names.map { Shard(of: $0, placement: placement) }).count
        try await fleet.until { try await fleet.number("SELECT count(*) FROM assignments") == Int64(shards * 3) }
        for location in locations { try await report(names, .up, from: location, fleet, placement: placement) }
        return (fleet, hosts, placement)
    }

    private static func report(
        _ names: [String],
        _ state: TargetState,
        from location: String,
        _ fleet: StagedFleet,
        placement: Int
    ) async throws {
        let assignments = try await fleet.assignments()
        let number = try await fleet.number("SELECT coalesce(max(seq), 0) FROM log")
        let rows = names.enumerated().map { index, name in
            let key = AssignmentKey(shard: Shard(of: name, placement: placement), location: location)
            let content = VoteContent(
                state: state,
                cause: state == .up ? nil : .target,
                reason: state == .up ? nil : "connect_timeout",
                since: .seconds(1)
            )
            return InboxRow(
                id: number * 1_000 + Int64(index) + 1,
                node: "\(location)-1",
                key: key,
                token: assignments[key]?.token ?? 0,
                at: .seconds(1),
                content: .vote(target: name, content)
            )
        }
        try await fleet.report(rows)
        try await fleet.until { try await fleet.inboxCount() == 0 }
    }

    private static func isolated(_ fleet: StagedFleet) async throws -> Int64 {
        try await fleet.number("SELECT cardinality(isolated) FROM log_head")
    }

    @Test("A location that alone reports ten targets down is isolated: its votes are void until it recovers")
    func isolation() async throws {
        let names = (0..<12).map { "t\($0)" }
        let (fleet, hosts, placement) = try await Self.start(names)
        let states = "SELECT count(*) FROM verdicts WHERE state <> 'up' OR rule <> 'answering'"
        try await fleet.until { try await fleet.number(states) == 0 }
        try await Self.report(Array(names.prefix(9)), .down, from: "berlin", fleet, placement: placement)
        #expect(try await Self.isolated(fleet) == 0)
        #expect(try await fleet.number("SELECT count(*) FROM verdicts WHERE rule = 'disagreement'") == 9)
        try await Self.report(Array(names.suffix(3)), .down, from: "berlin", fleet, placement: placement)
        try await fleet.until { try await Self.isolated(fleet) == 1 }
        try await fleet.until { try await fleet.number(states) == 0 }
        #expect(try await fleet.number("SELECT count(*) FROM disagreements") == 0)

        // Another coordinator keeps it while it has not counted all targets, and ends it when the votes do.
        await hosts[0].resign()
        let other = hosts[1]
        try await other.renew()
        try await fleet.until { await other.statistics.reevaluations >= 12 }
        #expect(try await Self.isolated(fleet) == 1)
        try await Self.report(Array(names.prefix(8)), .up, from: "berlin", fleet, placement: placement)
        try await fleet.until { try await Self.isolated(fleet) == 0 }
        try await fleet.until {
            try await fleet.number("SELECT count(*) FROM verdicts WHERE rule = 'disagreement'") == 4
        }
        let events = try await fleet.client.execute(
            """
            SELECT data::json ->> 'location', data::json ->> 'isolated', data::json ->> 'down_alone',
              data::json ->> 'shared' FROM log WHERE type = 'location' ORDER BY seq
            """
        )
        let texts = try (0..<events.rowCount).map { row in
            try (0..<4).map { try events.text(row, $0) }.joined(separator: " ")
        }
        #expect(texts == ["berlin true 12 12", "berlin false 4 12"])
        #expect(try await fleet.number("SELECT count(*) FROM log WHERE to_state IN ('down', 'degraded')") == 0)
    }

    @Test("A node that joins, drains, is lost and returns has an event for each, also with several coordinators")
    func nodes() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        try await fleet.client.execute("UPDATE nodes SET announced = NULL WHERE name = 'berlin-1'")
        let hosts = try await fleet.hosts(2)
        try await hosts[0].renew()
        let count = "SELECT count(*) FROM log WHERE type = 'node'"
        let changes = [
            "capacity = 1", "draining = true", "until = 0", "departed = true, draining = false",
            "departed = false, until = \(DatabaseClock.now) + 3600000000",
        ]
        for (number, change) in changes.enumerated() {
            try await fleet.client.execute("UPDATE nodes SET \(change) WHERE name = 'berlin-1'")
            try await fleet.until { try await fleet.number(count) == Int64(number + 1) }
        }
        await hosts[0].resign()
        let other = hosts[1]
        try await other.renew()
        try await fleet.until { await other.statistics.statements > 10 }
        let events = try await fleet.client.execute(
            """
            SELECT data::json ->> 'node', data::json ->> 'location', coalesce(data::json ->> 'from', '-'),
              data::json ->> 'to' FROM log WHERE type = 'node' ORDER BY seq
            """
        )
        let texts = try (0..<events.rowCount).map { row in
            try (0..<4).map { try events.text(row, $0) }.joined(separator: " ")
        }
        let states = ["-", "live", "draining", "lost", "departed", "live"]
        #expect(texts == zip(states, states.dropFirst()).map { "berlin-1 berlin \($0) \($1)" })
    }

    @Test("The other owners learn of a disagreement once, and not those that report the target down themselves")
    func disputed() async throws {
        let names = ["a", "b"]
        let (fleet, hosts, placement) = try await Self.start(names)
        let all = DisputedTargets.limit
        func read(_ node: String, after number: Int64) async throws -> [String] {
            let rows = try await fleet.client.execute(
                MembershipStatements.disputed.sql,
                [.text(node), .integer(number), .integer(Int64(all))]
            )
            return try (0..<rows.rowCount).map { "\(try rows.integer($0, 0)) \(try rows.text($0, 1))" }
        }
        try await Self.report(["a"], .down, from: "berlin", fleet, placement: placement)
        try await Self.report(["b"], .down, from: "paris", fleet, placement: placement)
        try await fleet.until { try await fleet.number("SELECT count(*) FROM disagreements") == 2 }
        #expect(try await read("berlin-1", after: 0) == ["2 b"])
        #expect(try await read("paris-1", after: 0) == ["1 a"])
        #expect(try await read("tokyo-1", after: 0) == ["1 a", "2 b"])
        #expect(try await read("tokyo-1", after: 1) == ["2 b"])
        #expect(try await read("tokyo-1", after: 2).isEmpty)
        #expect(await hosts[0].isCoordinator)
    }
}
