// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Votes as clients read them",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetVotesTests {
    private static let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    @Test("A target has its verdict, and the vote of each location that is assigned with the node behind it")
    func target() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        let placement = try Placement(watchers: 3, quorum: 2)
        try await scene.admin.execute(
            "UPDATE log_head SET settings = '\(FleetSettings(lease: .seconds(3_600)).text)'"
        )
        try await scene.declare(
            ["a", "b"].map { FleetDeclaration(id: $0, placement: placement, text: "{}", interval: .seconds(10)) }
        )
        try await scene.admin.execute(
            """
            INSERT INTO nodes (name, incarnation, location, url, version, capacity, since, until, resumed, epoch) VALUES
            ('n1', 1, 'berlin', 'https://n1', '1', 9, 0, \(Self.now) + 3600000000, 0, 'e'),
            ('n2', 1, 'paris', NULL, '1', 9, 0, \(Self.now) - 60000000, 0, 'e')
            """
        )
        try await scene.admin.execute(
            """
            INSERT INTO assignments (placement, shard, location, node, token, since, confirmed)
            SELECT placement, shard, l.* FROM targets, (VALUES ('berlin', 'n1', 7, 5000000::bigint, 7),
              ('paris', 'n2', 8, 5000000, 8), ('tokyo', 'n1', 9, \(Self.now) - 1000000, 3)) l WHERE id = 'a'
            """
        )
        try await scene.admin.execute(
            """
            INSERT INTO votes (target, location, state, cause, reason, detail, since, token, node) VALUES
            ('a', 'berlin', 'up', NULL, NULL, NULL, 6000999, 7, 'n1'),
            ('a', 'paris', 'down', 'target', 'parent_down', 'It is "silent".', 7000000, 8, 'n2'),
            ('a', 'oslo', 'down', 'target', 'parent_down', 'not assigned', 7000000, 1, 'n3')
            """
        )
        try await scene.admin.execute(
            "UPDATE verdicts SET state = 'degraded', cause = 'path', reason = 'partly_down', detail = 'x', since = 9000001 "
                + "WHERE target = 'a'"
        )
        try await scene.admin.execute(
            "INSERT INTO disagreements (target, placement, shard, number, since, due) VALUES ('a', 1, 1, 1, 1, 8000000)"
        )
        let target = try #require(try await reader.target("a"))
        #expect(target.state == .degraded && target.cause == .path && target.reason == "partly_down")
        #expect(target.detail == "x" && target.since == Timestamp(milliseconds: 9_000))
        #expect(target.pendingUntil == Timestamp(milliseconds: 8_000))
        #expect(target.votes.map(\.vote.location) == ["berlin", "paris", "tokyo"])
        #expect(target.votes.map(\.node) == ["n1", "n2", "n1"])
        #expect(target.votes.map(\.url) == ["https://n1", nil, "https://n1"])
        #expect(target.votes.map(\.standing) == [.well, .void(.noOwner), .void(.cannotJudge)])
        #expect(target.votes.map(\.isConfirmed) == [true, false, false])
        #expect(target.votes.map(\.vote.state) == [.up, .down, .unknown])
        #expect(
            target.votes[1].vote.detail == "It is \"silent\"." && target.votes[1].vote.reason?.rawValue == "parent_down"
        )
        #expect(target.counts == VoteCounts([.well, .void(.noOwner), .void(.cannotJudge)], placement: placement))
        let unassigned = try #require(try await reader.target("b"))
        #expect(unassigned.votes.isEmpty && unassigned.counts.void == 3 && unassigned.counts.needed == 2)
        #expect(unassigned.pendingUntil == nil)
    }

    @Test(
        "They count as the coordinator counts them: of owners that are alive, lost, departed, new or unknown",
        arguments: [true, false]
    )
    func standings(hasWitness: Bool) async throws {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        try await stage(scene, hasWitness: hasWitness)
        // A standing that changes with time may do so in between, on a slow machine.
        let before = try await CoordinatorView(scene.node)
        let page = try await reader.page(limit: 1_000)
        #expect(page.targets.count == 200)
        let views = [before, try await CoordinatorView(scene.node)]
        for target in page.targets {
            let facts = try views.map { try $0.facts(of: target.id) }
            #expect(facts.contains { target.counts == FleetVerdict($0).counts }, "\(target.id)")
            #expect(
                facts.contains { facts in target.votes.map(\.standing) == facts.effectiveVotes.map(facts.standing) },
                "\(target.id)"
            )
            #expect(facts.contains { target.votes.map(\.vote) == $0.votes }, "\(target.id)")
        }
        let standings = Set(page.targets.flatMap(\.votes).map(\.standing))
        #expect(standings.count == 7, "\(standings)")
    }

    /// Random owners and votes. All times are far from those at which a standing changes.
    private func stage(_ scene: ReaderScene, hasWitness: Bool) async throws {
        var random = SeededGenerator(seed: hasWitness ? 1 : 2)
        func pick<Value>(_ values: Value...) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        func ago(_ seconds: Int) -> String { "\(Self.now) - \(seconds * 1_000_000)" }
        let locations = ["berlin", "paris", "tokyo"]
        try await scene.admin.execute(
            "UPDATE log_head SET settings = '\(FleetSettings(lease: .seconds(3_600)).text)'"
        )
        try await scene.declare(
            try (0..<200).map { number in
                let watchers = pick(1, 2, 3)
                return FleetDeclaration(
                    id: "t\(number)",
                    placement: try Placement(watchers: watchers, quorum: pick(1, watchers)),
                    text: "{}",
                    interval: .seconds(10)
                )
            }
        )
        // A node that was always there is a witness that others are lost.
        let resumed = hasWitness ? "0" : Self.now
        for location in locations {
            for (name, until, columns) in [
                ("live", ago(-3_600), "false, false"), ("drained", ago(-3_600), "true, false"),
                ("late", ago(10), "false, false"), ("lost", ago(60), "false, false"), ("old", ago(600), "true, false"),
                ("left", ago(10), "false, true"), ("gone", ago(600), "false, true"),
            ] {
                try await scene.admin.execute(
                    """
                    INSERT INTO nodes (name, incarnation, location, version, capacity, draining, departed, since, until, resumed, epoch)
                    SELECT '\(name)-\(location)', 1, '\(location)', '1', 9, \(columns), 0, \(until), \(resumed), 'e'
                    """
                )
            }
        }
        let rows = try await scene.node.execute("SELECT id, placement, shard FROM targets ORDER BY ordinal")
        var assignments: [String] = []
        var votes: [String] = []
        var seen: Set<String> = []
        for row in 0..<rows.rowCount {
            let shard = "\(try rows.integer(row, 1)), \(try rows.integer(row, 2))"
            for location in locations {
                if seen.insert("\(shard) \(location)").inserted, !random.once(in: 4) {
                    let name = pick("live", "drained", "late", "lost", "old", "left", "gone", "unknown", "")
                    let node = name.isEmpty ? "NULL" : "'\(name)-\(location)'"
                    assignments.append(
                        "(\(shard), '\(location)', \(node), 2, \(ago(pick(10, 60, 600))), \(pick(1, 2)))"
                    )
                }
                guard !random.once(in: 4) else { continue }
                let state = TargetState.allCases[Int.random(in: 0..<TargetState.allCases.count, using: &random)]
                let cause = pick("NULL", "'target'", "'path'", "'local_network'")
                votes.append(
                    "('\(try rows.text(row, 0))', '\(location)', '\(state.rawValue)', \(cause), \(ago(700)), \(pick(1, 2)), 'n')"
                )
            }
        }
        try await scene.admin.execute(
            "INSERT INTO assignments (placement, shard, location, node, token, since, confirmed) VALUES "
                + assignments.joined(separator: ", ")
        )
        try await scene.admin.execute(
            "INSERT INTO votes (target, location, state, cause, since, token, node) VALUES "
                + votes.joined(separator: ", ")
        )
    }
}
