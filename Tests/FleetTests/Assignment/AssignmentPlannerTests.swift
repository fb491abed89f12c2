// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Testing

@Suite("Assignment of shards to nodes")
struct AssignmentPlannerTests {
    /// One location with one watcher, and a state that is carried from plan to plan.
    private struct Scene {
        static let lease = Duration.seconds(5)
        var planner: AssignmentPlanner
        var state = AssignmentState()
        var nodes: [FleetNode] = []
        var targets: [Shard: Int] = [:]
        var now = Duration.seconds(1_000)

        init(nodes count: Int, shards: Int, capacity: Int = 100_000) throws {
            planner = AssignmentPlanner(lease: Self.lease, placements: [1: try Placement()])
            for number in 0..<shards { targets[Shard(placement: 1, number: number)] = 10 }
            for index in 0..<count { add("node-\(index)", capacity: capacity) }
        }

        mutating func add(_ name: String, location: String = "berlin", capacity: Int = 100_000) {
            nodes.append(
                FleetNode(
                    name: name,
                    location: location,
                    capacity: capacity,
                    until: now + Self.lease,
                    resumed: now - Self.lease
                )
            )
        }

        mutating func replace(
            _ name: String,
            until: Duration? = nil,
            resumed: Duration? = nil,
            intent: FleetNode.Intent
        ) {
            nodes = nodes.map { node in
                guard node.name == name else { return node }
                return FleetNode(
                    name: name,
                    location: node.location,
                    capacity: node.capacity,
                    until: until ?? node.until,
                    resumed: resumed ?? node.resumed,
                    intent: intent
                )
            }
        }

        /// Moves the clock on; all nodes but some renew.
        mutating func advance(_ time: Duration, except silent: Set<String> = []) {
            now += time
            for node in nodes where !silent.contains(node.name) && node.intent != .leave {
                let resumed = node.until > now - time ? node.resumed : now
                replace(node.name, until: now + Self.lease, resumed: resumed, intent: node.intent)
            }
        }

        mutating func plan() -> AssignmentPlan {
            let plan = planner.plan(state, nodes: nodes, targets: targets, now: now)
            state = plan.state
            return plan
        }

        func load(_ name: String) -> Int {
            state.assignments.reduce(0) { $0 + ($1.value.node == name ? targets[$1.key.shard] ?? 0 : 0) }
        }
    }

    @Test("Ids are hashed the same way for ever: another hash would move every target")
    func stableShards() {
        #expect(Shard(of: "gateway", placement: 1).number == 661)
        #expect(Shard(of: "web", placement: 1).number == 499)
        let preferred = Shard(placement: 1, number: 7).preferred(["berlin", "paris", "tokyo"])
        #expect(preferred == ["berlin", "tokyo", "paris"])
    }

    @Test("Nodes of different capacity receive at most 1.1 times their part")
    func shares() throws {
        var scene = try Scene(nodes: 3, shards: 1_024, capacity: 10_000)
        scene.add("large", capacity: 20_000)
        #expect(scene.plan().changes.count == 1_024)
        for index in 0..<3 { #expect(scene.load("node-\(index)") <= 2_253) }
        #expect(scene.load("large") <= 4_506)
        #expect(scene.plan().changes.isEmpty)
    }

    @Test("A dead node's shards move at once, no others, and only to nodes within their share")
    func death() throws {
        var scene = try Scene(nodes: 10, shards: 1_024)
        let before = scene.plan().state
        scene.advance(.seconds(4), except: ["node-3"])
        #expect(scene.plan().changes.isEmpty)
        scene.advance(.seconds(1), except: ["node-3"])
        let plan = scene.plan()
        #expect(Set(plan.changes.map(\.key)) == Set(before.assignments.filter { $0.value.node == "node-3" }.keys))
        #expect(plan.changes.allSatisfy { $0.assignment?.token == before.token + 1 })
        for index in 0..<10 { #expect(scene.load("node-\(index)") <= 1_252) }
        #expect(scene.load("node-3") == 0)
    }

    @Test("A planned leave moves shards before the lease ends")
    func leave() throws {
        var scene = try Scene(nodes: 3, shards: 90)
        _ = scene.plan()
        scene.replace("node-1", intent: .leave)
        let plan = scene.plan()
        #expect(!plan.changes.isEmpty && plan.unassigned.isEmpty)
        #expect(scene.load("node-1") == 0)
        #expect(scene.state.holdDowns.isEmpty)
    }

    @Test("A new node receives its part in steps of 5 % every 5 s, and no shard moves between the others")
    func join() throws {
        var scene = try Scene(nodes: 10, shards: 1_024)
        _ = scene.plan()
        scene.add("new")
        var moved = 0
        for step in 0..<40 {
            let plan = scene.plan()
            #expect(plan.changes.count <= (step.isMultiple(of: 5) ? 51 : 0))
            #expect(plan.changes.allSatisfy { $0.assignment?.node == "new" })
            moved += plan.changes.count
            scene.advance(.seconds(1))
        }
        // 1,024 / 11 is 93; the balance may stop 10 % before that.
        #expect((80...93).contains(moved))
    }

    @Test("No load is balanced within ten leases after a loss")
    func calm() throws {
        var scene = try Scene(nodes: 3, shards: 90)
        _ = scene.plan()
        scene.advance(.seconds(6), except: ["node-0"])
        #expect(!scene.plan().changes.isEmpty)
        scene.advance(.seconds(1))
        for _ in 0..<49 {
            #expect(scene.plan().changes.isEmpty)
            scene.advance(.seconds(1))
        }
        #expect(!scene.plan().changes.isEmpty)
    }

    @Test("When all leases ended together, nothing moves until one lease after the first node's return")
    func outage() throws {
        var scene = try Scene(nodes: 4, shards: 100)
        _ = scene.plan()
        let all = Set(scene.nodes.map(\.name))
        scene.advance(.seconds(60), except: all)
        #expect(scene.plan().changes.isEmpty)
        let late = all.subtracting(["node-2"])
        for _ in 0..<5 {
            scene.advance(.seconds(1), except: late)
            #expect(scene.plan().changes.isEmpty)
        }
        #expect(scene.state.holdDowns.isEmpty)
        scene.advance(.seconds(1), except: late)
        #expect(!scene.plan().changes.isEmpty)
        #expect(scene.load("node-2") == 1_000)
    }

    @Test("A node that lost three leases in ten minutes receives nothing for ten minutes, unless no other has capacity")
    func holdDown() throws {
        var scene = try Scene(nodes: 2, shards: 40)
        for _ in 0..<3 {
            scene.advance(.seconds(6), except: ["node-0"])
            _ = scene.plan()
            scene.advance(.seconds(1))
            _ = scene.plan()
        }
        #expect(scene.load("node-0") == 0)
        scene.advance(.seconds(590))
        #expect(scene.plan().changes.isEmpty)
        scene.advance(.seconds(10))
        #expect(!scene.plan().changes.isEmpty)

        scene.replace("node-1", intent: .leave)
        _ = scene.plan()
        #expect(scene.load("node-0") == 400)
    }

    @Test("Hold-downs take 10, 20, 40 and 60 minutes, and 10 again after a quiet hour")
    func holdDownLengths() {
        var hold = HoldDown()
        var now = Duration.zero
        for minutes in [10, 20, 40, 60, 60] {
            for _ in 0..<3 { hold.recordLoss(now) }
            #expect(hold.until == now + .seconds(minutes * 60))
            now = hold.until ?? now
            #expect(!hold.isActive(now))
        }
        now += HoldDown.longest
        #expect(hold.isOver(now))
        for _ in 0..<3 { hold.recordLoss(now) }
        #expect(hold.until == now + HoldDown.shortest)
    }

    @Test("Above the capacity shards stay without an owner, and no node exceeds its capacity")
    func capacity() throws {
        var scene = try Scene(nodes: 2, shards: 50, capacity: 200)
        let plan = scene.plan()
        #expect(plan.unassigned.count == 10)
        #expect(scene.load("node-0") == 200 && scene.load("node-1") == 200)
        #expect(scene.plan().changes.isEmpty)
        scene.add("new", capacity: 100)
        #expect(scene.plan().unassigned.isEmpty)
    }

    @Test("A draining node keeps what no other node has capacity for")
    func drain() throws {
        var scene = try Scene(nodes: 2, shards: 30, capacity: 200)
        _ = scene.plan()
        scene.replace("node-0", intent: .drain)
        #expect(scene.plan().unassigned.isEmpty)
        #expect(scene.load("node-0") == 100 && scene.load("node-1") == 200)
    }

    @Test("A location stays live for 60 s after its last node; then another one takes its place")
    func locationGrace() throws {
        var scene = try Scene(nodes: 1, shards: 1)
        scene.planner = AssignmentPlanner(lease: Scene.lease, placements: [1: try Placement(watchers: 2)])
        scene.add("paris-1", location: "paris")
        scene.add("tokyo-1", location: "tokyo")
        let chosen = Set(scene.plan().changes.map(\.key.location))
        #expect(chosen.count == 2)
        let lost = scene.nodes.first { chosen.contains($0.location) }
        scene.replace(lost?.name ?? "", until: scene.now, intent: .leave)
        #expect(scene.plan().unassigned.map(\.location) == [lost?.location])
        scene.advance(.seconds(60))
        #expect(scene.plan().changes.isEmpty)
        scene.advance(.seconds(1))
        #expect(scene.plan().unassigned.isEmpty)
        #expect(Set(scene.state.assignments.keys.map(\.location)).count == 2)
    }

    @Test(
        "A new coordinator knows from the leases when a location had a node last",
        arguments: [FleetNode.Intent.serve, .leave]
    )
    func locationGraceOfAnother(intent: FleetNode.Intent) throws {
        var scene = try Scene(nodes: 1, shards: 20)
        scene.add("paris-1", location: "paris")
        #expect(scene.plan().unassigned.isEmpty)
        let lost = Set(scene.state.assignments.filter { $0.key.location == "berlin" }.keys)
        // The node of berlin was the coordinator: its lease ends, and the next one knows the assignments.
        if intent == .leave { scene.replace("node-0", until: scene.now, intent: .leave) }
        scene.advance(Scene.lease, except: ["node-0"])
        scene.state = AssignmentState(assignments: scene.state.assignments, token: scene.state.token)
        let plan = scene.plan()
        #expect(Set(plan.unassigned) == lost && !lost.isEmpty)
        #expect(Set(plan.changes.map(\.key)) == lost && plan.changes.allSatisfy { $0.assignment == nil })
        // Another one takes over within the grace, and then after it.
        scene.advance(.seconds(54), except: ["node-0"])
        scene.state = AssignmentState(assignments: scene.state.assignments, token: scene.state.token)
        #expect(Set(scene.plan().unassigned) == lost)
        scene.advance(.seconds(7), except: ["node-0"])
        scene.state = AssignmentState(assignments: scene.state.assignments, token: scene.state.token)
        #expect(scene.plan().unassigned.isEmpty)
        #expect(Set(scene.state.assignments.keys.map(\.location)) == ["paris"])
    }
}
