// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import Testing

@testable import Fleet

@Suite("A round of decisions with several watchers")
struct QuorumRoundTests {
    private static let locations = ["berlin", "paris", "tokyo"]

    private static func scene() throws -> FleetScene {
        var scene = try FleetScene(locations: locations)
        scene.declare("a")
        scene.decide(locations.map { scene.row("a", .up, from: $0) })
        return scene
    }

    @Test(
        "The states of three locations, two of which must agree",
        arguments: [
            ("up up up", "up"), ("up up down", "up"), ("up down down", "down"), ("down down down", "down"),
            ("up degraded down", "degraded"), ("up degraded degraded", "degraded"), ("degraded up up", "up"),
            ("unreachable up up", "up"), ("unreachable down up", "up"), ("unreachable down unknown", "unreachable"),
            ("unreachable unreachable unreachable", "unreachable"), ("unknown unknown unknown", "unknown"),
            ("paused paused paused", "paused"), ("maintenance up up", "maintenance"),
        ]
    )
    func table(_ votes: String, _ expected: String) throws {
        var scene = try FleetScene(locations: Self.locations)
        scene.declare("a")
        let states = votes.split(separator: " ").compactMap { TargetState(rawValue: String($0)) }
        let rows = zip(Self.locations, states).map { location, state in
            scene.row("a", state, from: location, cause: state == .unreachable ? .localNetwork : nil)
        }
        scene.decide(rows)
        #expect(scene.state("a")?.rawValue == expected)
    }

    @Test("The first vote against begins a disagreement without an event; the second is the event")
    func quorum() throws {
        var scene = try Self.scene()
        scene.now += .seconds(1)
        let first = scene.decide([scene.row("a", .down, from: "paris")])
        #expect(first.events.isEmpty)
        #expect(first.disagreements.map(\.since) == [scene.now])
        #expect(first.disagreements.map(\.due) == [scene.now + .seconds(10)])
        #expect(scene.verdict("a")?.rule == "disagreement")
        scene.now += .seconds(2)
        let second = scene.decide([scene.row("a", .down, from: "tokyo")])
        #expect(second.events.map(\.change) == ["a up > down target connect_refused"])
        #expect(second.agreed == ["a"] && second.disagreements.isEmpty)
        #expect(scene.targets["a"]?.disagreeingSince == nil)
    }

    @Test("Each change of a location's vote is an entry of the log, before the change of state that it causes")
    func votes() throws {
        var scene = try Self.scene()
        let first = scene.decide([scene.row("a", .down, from: "paris")])
        #expect(first.entries.map(\.type) == [.vote])
        let data = try JSONReader.members(of: Array(first.entries[0].data.utf8)).mapValues {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(data["location"] == "\"paris\"" && data["from"] == "\"up\"" && data["to"] == "\"down\"")
        #expect(data["target"] == "\"a\"" && data["cause"] == "\"target\"")
        // The same vote again is no event.
        #expect(scene.decide([scene.row("a", .down, from: "paris")]).entries.isEmpty)
        #expect(scene.decide([scene.row("a", .down, from: "tokyo")]).entries.map(\.type) == [.vote, .state])
    }

    @Test("With one watcher the change of state says the same: votes are no entries")
    func singleVotes() throws {
        var scene = try FleetScene(locations: ["berlin"])
        scene.declare("a")
        #expect(scene.decide([scene.row("a", .up, from: "berlin")]).entries.map(\.type) == [.state])
    }

    @Test("A disagreement that begins and ends within a batch leaves nothing behind")
    func shortDisagreement() throws {
        var scene = try Self.scene()
        let changes = scene.decide([scene.row("a", .down, from: "paris"), scene.row("a", .up, from: "paris")])
        #expect(changes.events.isEmpty && changes.disagreements.isEmpty && changes.agreed.isEmpty)
    }

    @Test("A disagreement that ends and begins again within a batch begins anew")
    func renewedDisagreement() throws {
        var scene = try Self.scene()
        scene.decide([scene.row("a", .down, from: "paris")])
        scene.now += .seconds(8)
        let changes = scene.decide([scene.row("a", .up, from: "paris"), scene.row("a", .down, from: "tokyo")])
        #expect(changes.disagreements.map(\.since) == [scene.now])
        #expect(changes.agreed.isEmpty)
    }

    @Test("A disagreement that is due is an event, and is not due again")
    func settled() throws {
        var scene = try Self.scene()
        scene.decide([scene.row("a", .down, from: "paris")])
        let since = scene.now
        scene.now += .seconds(9)
        #expect(scene.decide(reevaluating: ["a"]).isEmpty)
        scene.now += .seconds(1)
        let changes = scene.decide(reevaluating: ["a"])
        #expect(changes.events.map(\.change) == ["a up > degraded path partly_down"])
        #expect(changes.disagreements.map(\.since) == [since])
        #expect(changes.disagreements.first?.due == nil)
        #expect(scene.verdict("a")?.detail == "Down from paris, up from berlin and tokyo.")
        scene.now += .seconds(1)
        #expect(scene.decide(reevaluating: ["a"]).isEmpty)
    }

    @Test("With `partial: up` a settled disagreement stays up")
    func partialUp() throws {
        var scene = try FleetScene(locations: Self.locations)
        scene.declare("a", isPartialUp: true)
        scene.decide(Self.locations.map { scene.row("a", .up, from: $0) } + [scene.row("a", .down, from: "paris")])
        scene.now += .seconds(60)
        let changes = scene.decide(reevaluating: ["a"])
        #expect(changes.events.isEmpty && scene.state("a") == .up)
        #expect(scene.targets["a"]?.disagreementDue == nil)
    }

    @Test("A longer time for disagreements moves the one that is due")
    func longerSettle() throws {
        var scene = try Self.scene()
        scene.decide([scene.row("a", .down, from: "paris")])
        let since = scene.now
        scene.settings.settle = .seconds(100)
        scene.now += .seconds(10)
        let changes = scene.decide(reevaluating: ["a"])
        #expect(changes.events.isEmpty)
        #expect(changes.disagreements.map(\.due) == [since + .seconds(100)])
    }

    @Test("Another location's sentence about the same reason is no event; another list of locations is one")
    func sentences() throws {
        var scene = try Self.scene()
        scene.decide([scene.row("a", .down, from: "berlin"), scene.row("a", .down, from: "paris")])
        let detail = scene.verdict("a")?.detail
        scene.now += .seconds(1)
        #expect(scene.decide([scene.row("a", .down, from: "tokyo")]).events.isEmpty)
        #expect(scene.verdict("a")?.detail == detail)
        scene.decide([scene.row("a", .up, from: "berlin"), scene.row("a", .up, from: "paris")])
        scene.now += .seconds(20)
        scene.decide(reevaluating: ["a"])
        scene.now += .seconds(1)
        let changes = scene.decide([scene.row("a", .unreachable, from: "berlin", cause: .localNetwork)])
        #expect(changes.events.map(\.change) == ["a degraded > degraded path partly_down"])
        #expect(scene.verdict("a")?.detail == "Down from tokyo, up from paris.")
    }

    @Test("The last vote of a target and location in a batch is stored, once")
    func lastVote() throws {
        var scene = try Self.scene()
        let rows = [
            scene.row("a", .down, from: "paris"), scene.row("a", .down, from: "berlin"),
            scene.row("a", .degraded, from: "paris"),
        ]
        let changes = scene.decide(rows)
        #expect(changes.votes.map(\.location) == ["berlin", "paris"])
        #expect(changes.votes.map(\.vote.content.state) == [.down, .degraded])
    }
}
