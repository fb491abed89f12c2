// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Fleet

@Suite("Assignment of receivers") struct ReceiverPlannerTests {
    private static let day = ReceiverPlanner.forgetfulness

    private static func node(
        _ name: String,
        _ intent: FleetNode.Intent = .serve,
        until: Duration = .seconds(1_000_000)
    ) -> FleetNode {
        FleetNode(name: name, location: "l", capacity: 1, until: until, resumed: .zero, intent: intent)
    }

    private static func plan(
        _ records: [String: ReceiverRecord],
        _ nodes: [FleetNode],
        _ offers: [String: [String: String]],
        now: Duration = .seconds(100)
    ) -> ReceiverChanges {
        let dead = nodes.dead(now, lease: .seconds(5))
        return ReceiverPlanner.changes(records, nodes: nodes, offers: offers, dead: dead, now: now)
    }

    private static func record(_ node: String?, _ digest: String = "d", since: Duration = .zero) -> ReceiverRecord {
        ReceiverRecord(digest: digest, node: node, since: since)
    }

    private static func assigned(_ node: String?, _ digest: String = "d") -> ReceiverChanges {
        ReceiverChanges(assignments: [ReceiverChanges.Assignment(name: "r", digest: digest, node: node)])
    }

    private static let both = ["a": ["r": "d"], "b": ["r": "d"]]

    @Test("A receiver stays with its node while that one lives, serves and offers it")
    func stays() {
        let nodes = [Self.node("a"), Self.node("b")]
        for owner in ["a", "b"] { #expect(Self.plan(["r": Self.record(owner)], nodes, Self.both).isEmpty) }
        // Its lease ended, but no other node is a witness that the database was there.
        let late = [Self.node("a", until: .seconds(99)), FleetNode.late("b")]
        #expect(Self.plan(["r": Self.record("a")], late, Self.both).isEmpty)
        // Nobody else can take it.
        #expect(Self.plan(["r": Self.record("a")], [Self.node("a", .drain)], Self.both).isEmpty)
        #expect(Self.plan(["r": Self.record("a")], [Self.node("a", .leave)], Self.both).isEmpty)
    }

    @Test(
        "It moves when its node is dead, drains, left, is unknown or stops offering it",
        arguments: [
            ([node("a", until: .seconds(99)), node("b")], both), ([node("a", .drain), node("b")], both),
            ([node("a", .leave), node("b")], both), ([node("b")], both),
            ([node("a"), node("b")], ["a": [:], "b": ["r": "d"]]),
        ]
    )
    func moves(nodes: [FleetNode], offers: [String: [String: String]]) {
        #expect(Self.plan(["r": Self.record("a")], nodes, offers) == Self.assigned("b"))
    }

    @Test("Without a node it has none, and its offset is forgotten a day later")
    func forgotten() {
        let nodes = [Self.node("a")]
        #expect(Self.plan(["r": Self.record("a")], nodes, [:]) == Self.assigned(nil))
        let idle = ["r": Self.record(nil, since: .seconds(100))]
        #expect(Self.plan(idle, nodes, [:], now: .seconds(100) + Self.day).isEmpty)
        let forgotten = ReceiverChanges(forgotten: ["r"])
        #expect(Self.plan(idle, nodes, [:], now: .seconds(101) + Self.day) == forgotten)
        // The only node that offered it left.
        let left = [Self.node("a", .leave, until: .seconds(50)), Self.node("b")]
        let offers = ["a": ["r": "d"]]
        #expect(Self.plan(["r": Self.record("a")], left, offers, now: .seconds(50) + Self.day).isEmpty)
        #expect(Self.plan(["r": Self.record("a")], left, offers, now: .seconds(51) + Self.day) == forgotten)
    }

    @Test("Of different definitions the one of most nodes is chosen, and that of the serving node stays in force")
    func definitions() {
        let nodes = ["a", "b", "c"].map { Self.node($0) }
        let offers = ["a": ["r": "1"], "b": ["r": "2"], "c": ["r": "1"]]
        #expect(Self.plan([:], nodes, offers).assignments.map(\.digest) == ["1"])
        #expect(Self.plan(["r": Self.record("b", "2")], nodes, offers).isEmpty)
        #expect(Self.plan(["r": Self.record("b", "1")], nodes, offers) == Self.assigned("b", "2"))
        // As many have each: the one in force.
        let equal = ["b": ["r": "2"], "c": ["r": "1"]]
        for digest in ["1", "2"] {
            let changes = Self.plan(["r": Self.record("a", digest)], nodes, equal)
            #expect(changes.assignments.map(\.digest) == [digest])
        }
        #expect(ReceiverPlanner.conflicts(nodes, offers: offers, now: .zero) == ["r"])
        #expect(ReceiverPlanner.conflicts(nodes, offers: Self.both, now: .zero).isEmpty)
    }

    @Test("Many receivers are spread over the nodes")
    func spread() {
        let names = Dictionary(uniqueKeysWithValues: (0..<300).map { ("r\($0)", "d") })
        let nodes = ["a", "b", "c"]
        let offers = Dictionary(uniqueKeysWithValues: nodes.map { ($0, names) })
        let changes = Self.plan([:], nodes.map { Self.node($0) }, offers)
        let counts = Dictionary(grouping: changes.assignments, by: \.node).mapValues(\.count)
        #expect(counts.count == 3 && counts.values.allSatisfy { $0 > 60 }, "\(counts)")
    }

    @Test("In random lives of a fleet a receiver has a node that can serve it, and moves only when it must")
    func random() {
        var random = SeededGenerator(seed: 11)
        let (names, digests, hosts) = (["r", "s", "t"], ["1", "2"], ["a", "b", "c", "d"])
        var moves = 0
        for _ in 0..<500 {
            var records: [String: ReceiverRecord] = [:]
            var now = Duration.seconds(1_000)
            for _ in 0..<30 {
                now += .seconds(Int.random(in: 1...100, using: &random))
                var offers: [String: [String: String]] = [:]
                var nodes: [FleetNode] = []
                for host in hosts where Int.random(in: 0..<8, using: &random) > 0 {
                    let intent = FleetNode.Intent.allCases.randomElement(using: &random) ?? .serve
                    let until = now + .seconds(Int.random(in: -5...20, using: &random))
                    nodes.append(Self.node(host, Bool.random(using: &random) ? .serve : intent, until: until))
                    for name in names where Int.random(in: 0..<4, using: &random) > 0 {
                        offers[host, default: [:]][name] = digests.randomElement(using: &random)
                    }
                }
                let old = records
                let changes = Self.plan(old, nodes, offers, now: now)
                for change in changes.assignments {
                    if old[change.name]?.node != change.node { moves += 1 }
                    records[change.name] = Self.record(change.node, change.digest, since: now)
                }
                for name in changes.forgotten { records[name] = nil }
                expectSound(records, after: old, nodes, offers, now: now)
                #expect(Self.plan(records, nodes, offers, now: now).isEmpty)
            }
        }
        #expect(moves > 1_000)
    }

    private func expectSound(
        _ records: [String: ReceiverRecord],
        after old: [String: ReceiverRecord],
        _ nodes: [FleetNode],
        _ offers: [String: [String: String]],
        now: Duration
    ) {
        let dead = nodes.dead(now, lease: .seconds(5))
        for name in Set(records.keys).union(offers.values.flatMap(\.keys)) {
            let able = nodes.filter {
                $0.intent == .serve && $0.until > now && offers[$0.name]?[name] != nil
            }
            let owner = nodes.first { $0.name == records[name]?.node }
            let isKept = { (node: FleetNode) in !dead.contains(node.name) && offers[node.name]?[name] != nil }
            if let owner, isKept(owner) {
                #expect(owner.intent == .serve || able.isEmpty)
                #expect(records[name]?.digest == offers[owner.name]?[name])
            } else {
                #expect(able.isEmpty)
            }
            let before = nodes.first { $0.name == old[name]?.node }
            if let before, isKept(before), before.intent == .serve { #expect(owner?.name == before.name) }
        }
    }
}

extension FleetNode {
    /// A live node that has only just returned.
    fileprivate static func late(_ name: String) -> FleetNode {
        FleetNode(name: name, location: "l", capacity: 1, until: .seconds(105), resumed: .seconds(98))
    }
}
