// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import TestSupport

/// A fleet in which nodes join, freeze, return, leave and drain, and the database fails; checks each plan against rules that are
/// written down without the planner's steps.
struct RandomFleet {
    static let lease = Duration.seconds(5)
    private static let placements = [1: 1, 2: 2]

    /// What happened at least once.
    var seen: Set<String> = []
    private var generator: SeededGenerator
    private let planner: AssignmentPlanner
    private var state = AssignmentState()
    private var nodes: [FleetNode] = []
    private var frozen: Set<String> = []
    private var isDatabaseDown = false
    private var targets: [Shard: Int] = [:]
    private var now = Duration.seconds(10_000)
    private var deadBefore: Set<String> = []
    private var lastDeath: Duration?
    private var lastBalance: Duration?
    private var lastSeen: [String: Duration] = [:]
    private var tokens: [AssignmentKey: UInt64] = [:]
    private let largestCapacity: Int

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        planner = AssignmentPlanner(
            lease: Self.lease,
            placements: [1: try Placement(), 2: try Placement(watchers: 2)]
        )
        largestCapacity = generator.once(in: 2) ? 30 : 300
        for index in 0..<12 {
            targets[Shard(placement: index % 2 + 1, number: index)] = Int.random(in: 0...9, using: &generator)
        }
        for _ in 0..<3 { join() }
    }

    // MARK: Life

    private mutating func join() {
        guard nodes.count < 7 else { return }
        let name = (0..<9).map { "n\($0)" }.first { name in !nodes.contains { $0.name == name } } ?? "n9"
        nodes.append(
            FleetNode(
                name: name,
                location: ["berlin", "paris", "tokyo"][Int.random(in: 0...2, using: &generator)],
                capacity: Int.random(in: 0...largestCapacity, using: &generator),
                until: now + Self.lease,
                resumed: now
            )
        )
    }

    private mutating func change(_ index: Int, capacity: Int? = nil, intent: FleetNode.Intent? = nil) {
        let node = nodes[index]
        nodes[index] = FleetNode(
            name: node.name,
            location: node.location,
            capacity: capacity ?? node.capacity,
            until: node.until,
            resumed: node.resumed,
            intent: intent ?? node.intent
        )
    }

    private mutating func happen() {
        let index = nodes.isEmpty ? nil : Int.random(in: 0..<nodes.count, using: &generator)
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: join()
        case 1, 2: if let index { frozen.insert(nodes[index].name) }
        case 3, 4: frozen = []
        case 5: if let index { change(index, intent: .leave) }
        case 6: if let index { change(index, intent: .drain) }
        case 7: if let index { change(index, intent: .serve) }
        case 8: if let index { change(index, capacity: Int.random(in: 0...largestCapacity, using: &generator)) }
        case 9:
            guard let shard = targets.keys.sorted().randomElement(using: &generator) else { return }
            targets[shard] = Int.random(in: 0...9, using: &generator)
        case 10: isDatabaseDown.toggle()
        case 11: if let index, nodes[index].until < now { nodes.remove(at: index) }
        default: break
        }
    }

    private mutating func renew(_ passed: Duration) {
        guard !isDatabaseDown else { return }
        for (index, node) in nodes.enumerated() where !frozen.contains(node.name) && node.intent != .leave {
            nodes[index] = FleetNode(
                name: node.name,
                location: node.location,
                capacity: node.capacity,
                until: now + Self.lease,
                resumed: node.until > now - passed ? node.resumed : now,
                intent: node.intent
            )
        }
    }

    // MARK: Rules

    private func isLive(_ node: FleetNode) -> Bool { node.until > now && node.intent != .leave }

    private func isDead(_ node: FleetNode) -> Bool {
        if node.intent == .leave { return true }
        return !isLive(node) && nodes.contains { isLive($0) && $0.resumed <= now - Self.lease }
    }

    private func load(_ name: String, _ assignments: [AssignmentKey: Assignment]) -> Int {
        var load = 0
        for (key, assignment) in assignments where assignment.node == name { load += targets[key.shard] ?? 0 }
        return load
    }

    /// Moves the clock on, lets something happen and plans; returns the rules that were broken.
    mutating func step() -> [String] {
        let passed = Duration.seconds(Int.random(in: 1...(generator.once(in: 8) ? 70 : 3), using: &generator))
        now += passed
        happen()
        renew(passed)
        let old = state
        let plan = planner.plan(old, nodes: nodes.shuffled(using: &generator), targets: targets, now: now)
        state = plan.state
        var faults = nodes.contains(where: isLive) ? check(plan, old) : []
        if !nodes.contains(where: isLive) {
            seen.insert("silent")
            if plan.state != old || !plan.changes.isEmpty { faults.append("changed without a live node") }
        }
        if planner.plan(old, nodes: nodes, targets: targets, now: now) != plan { faults.append("depends on the order") }
        return faults
    }

    private mutating func check(_ plan: AssignmentPlan, _ old: AssignmentState) -> [String] {
        let dead = Set(nodes.filter(isDead).map(\.name))
        if !dead.subtracting(deadBefore).isEmpty { lastDeath = now }
        deadBefore = dead
        if !dead.isEmpty { seen.insert("dead") }
        let present = nodes.filter { !dead.contains($0.name) }
        for node in nodes {
            let seen = present.contains(node) ? now : min(node.until, now)
            lastSeen[node.location] = max(seen, lastSeen[node.location] ?? .zero)
        }
        let expected = expectedKeys()
        var faults: [String] = []
        if Set(plan.state.assignments.keys).union(plan.unassigned) != expected
            || plan.state.assignments.count + plan.unassigned.count != expected.count
        {
            faults.append("keys")
        }
        faults += checkOwners(plan, present) + checkTokens(plan, old) + checkMoves(plan, old, present, expected)
        return faults
    }

    private func expectedKeys() -> Set<AssignmentKey> {
        let locations = lastSeen.filter { now - $0.value <= .seconds(60) }.keys
        var keys: Set<AssignmentKey> = []
        for shard in targets.keys {
            for location in shard.preferred(locations).prefix(Self.placements[shard.placement] ?? 0) {
                keys.insert(AssignmentKey(shard: shard, location: location))
            }
        }
        return keys
    }

    private mutating func checkOwners(_ plan: AssignmentPlan, _ present: [FleetNode]) -> [String] {
        var faults: [String] = []
        for (key, assignment) in plan.state.assignments
        where !present.contains(where: { $0.name == assignment.node && $0.location == key.location }) {
            faults.append("\(key) belongs to \(assignment.node)")
        }
        for node in present where isLive(node) {
            let load = load(node.name, plan.state.assignments)
            if load > node.capacity { faults.append("\(node.name) is above its capacity") }
            guard node.intent == .serve else { continue }
            for key in plan.unassigned where key.location == node.location {
                seen.insert("unassigned")
                if load + (targets[key.shard] ?? 0) <= node.capacity, node.capacity > 0 {
                    faults.append("\(key) fits \(node.name)")
                }
            }
        }
        return faults
    }

    private mutating func checkTokens(_ plan: AssignmentPlan, _ old: AssignmentState) -> [String] {
        var faults: [String] = []
        if plan.state.token != old.token + (plan.changes.isEmpty ? 0 : 1) { faults.append("token of the plan") }
        for (key, assignment) in plan.state.assignments {
            let last = tokens[key] ?? 0
            let isKept = old.assignments[key]?.node == assignment.node
            if isKept ? assignment.token != last : assignment.token <= last { faults.append("token of \(key)") }
            tokens[key] = assignment.token
        }
        var applied = old.assignments
        for change in plan.changes { applied[change.key] = change.assignment }
        if applied != plan.state.assignments { faults.append("changes") }
        return faults
    }

    /// Which shards moved without necessity, and whether the receivers stay within their share.
    private mutating func checkMoves(
        _ plan: AssignmentPlan,
        _ old: AssignmentState,
        _ present: [FleetNode],
        _ expected: Set<AssignmentKey>
    ) -> [String] {
        var faults: [String] = []
        var free = 0
        for change in plan.changes where expected.contains(change.key) {
            let former = old.assignments[change.key]?.node
            // A name can return in another location.
            guard let owner = present.first(where: { $0.name == former && $0.location == change.key.location })
            else { continue }
            guard isLive(owner) else {
                faults.append("\(owner.name) is late, not dead")
                continue
            }
            let kept = old.assignments.filter { expected.contains($0.key) }
            if owner.intent == .drain {
                seen.insert("drained")
            } else if load(owner.name, kept) > owner.capacity {
                seen.insert("shed")
            } else {
                free += 1
            }
        }
        if present.contains(where: { !isLive($0) }) { seen.insert("late") }
        if free > 0 {
            seen.insert("balanced")
            if free > max(1, plan.state.assignments.count / 20) { faults.append("\(free) moves") }
            if let lastDeath, now - lastDeath < Self.lease * 10 { faults.append("balanced soon after a loss") }
            if let lastBalance, now - lastBalance < .seconds(5) { faults.append("balanced too often") }
            lastBalance = now
        }
        return faults + checkShares(plan, present)
    }

    /// While every node has ample capacity, no receiver exceeds its share, and nodes in a hold-down receive nothing.
    private mutating func checkShares(_ plan: AssignmentPlan, _ present: [FleetNode]) -> [String] {
        let held = Set(plan.state.holdDowns.filter { $0.value.isActive(now) }.keys)
        if !held.isEmpty { seen.insert("held") }
        var faults: [String] = []
        for location in Set(present.map(\.location)) {
            let open = present.filter {
                $0.location == location && isLive($0) && $0.intent == .serve && !held.contains($0.name)
            }
            let capacity = open.map(\.capacity).reduce(0, +)
            let total = open.map { load($0.name, plan.state.assignments) }.reduce(0, +)
            guard !open.isEmpty, open.allSatisfy({ $0.capacity >= 14 }), total * 3 <= capacity else { continue }
            seen.insert("ample")
            for change in plan.changes where change.key.location == location {
                guard let name = change.assignment?.node else { continue }
                guard let receiver = open.first(where: { $0.name == name }) else {
                    faults.append("\(name) received \(change.key)")
                    continue
                }
                let mean = Double(total) * Double(receiver.capacity) / Double(capacity)
                let load = load(name, plan.state.assignments)
                if Double(load) > max(1.1 * mean, mean + 9) + 1 { faults.append("\(name) is above its share") }
            }
        }
        return faults
    }
}
