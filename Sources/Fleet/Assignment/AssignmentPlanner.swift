// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Assigns shards to locations, and in each location to nodes.
///
/// A pure function of the state, the nodes and the time, so that each coordinator decides alike:
///
/// 1. Each shard is watched by the locations that it prefers among the permitted live ones.
/// 2. An owner keeps its shards until it is dead (``Swift/Array/dead(_:lease:)``) or above its capacity.
/// 3. A shard without an owner goes to the node that it prefers among those within their share; see ``LocationPlan``.
/// 4. Shards move to balance the load only slowly: at most 5 % of all every 5 s, and not within ten leases after a loss.
///
/// Without a live node nothing changes: there is no evidence that any node is dead.
package struct AssignmentPlanner: Sendable, Hashable {
    /// How long a location stays live after its last node.
    package static let locationGrace = Duration.seconds(60)
    /// The shortest time between two steps that balance the load.
    package static let rebalanceInterval = Duration.seconds(5)
    /// A step moves at most one assignment of so many.
    package static let rebalanceDivisor = 20
    /// The number of leases after a loss in which no load is balanced.
    package static let calmLeases = 10

    /// How long a lease is valid.
    package let lease: Duration
    /// The placements by their numbers.
    package let placements: [Int: Placement]

    /// Creates a planner.
    ///
    /// - Parameters:
    ///   - lease: how long a lease is valid.
    ///   - placements: the placements by their numbers.
    package init(lease: Duration, placements: [Int: Placement]) {
        self.lease = lease
        self.placements = placements
    }

    /// Computes the next assignments.
    ///
    /// - Parameters:
    ///   - old: the state after the last plan.
    ///   - nodes: all nodes, with distinct names, in any order.
    ///   - targets: the number of targets in each shard; a shard that is absent needs no owner.
    ///   - now: the database's time.
    package func plan(
        _ old: AssignmentState,
        nodes: [FleetNode],
        targets: [Shard: Int],
        now: Duration
    ) -> AssignmentPlan {
        guard nodes.contains(where: { $0.isLive(now) }) else {
            return AssignmentPlan(state: old, changes: [], unassigned: [])
        }
        var state = old
        let dead = nodes.dead(now, lease: lease)
        let present = nodes.filter { !dead.contains($0.name) }
        recordLosses(&state, nodes: nodes, dead: dead, now: now)
        for node in nodes where dead.contains(node.name) {
            // Its lease tells, because a coordinator that was the location's last node does not.
            state.locations[node.location] = min(max(state.locations[node.location] ?? .zero, node.until), now)
        }
        for node in present { state.locations[node.location] = now }
        state.locations = state.locations.filter { now - $0.value <= Self.locationGrace }

        var plans = locationPlans(state, present: present, targets: targets, now: now)
        balance(&plans, &state, now: now)
        return finish(state, from: old, plans: plans.values)
    }

    /// A planned leave is not a lost lease, but it moves shards as a loss does.
    private func recordLosses(
        _ state: inout AssignmentState,
        nodes: [FleetNode],
        dead: Set<String>,
        now: Duration
    ) {
        for node in nodes where dead.contains(node.name) && !state.dead.contains(node.name) {
            state.lastLoss = now
            guard node.intent != .leave else { continue }
            state.holdDowns[node.name, default: HoldDown()].recordLoss(now)
        }
        state.dead = dead
        state.holdDowns = state.holdDowns.filter { !$0.value.isOver(now) }
    }

    private func locationPlans(
        _ state: AssignmentState,
        present: [FleetNode],
        targets: [Shard: Int],
        now: Duration
    ) -> [String: LocationPlan] {
        let held = Set(state.holdDowns.filter { $0.value.isActive(now) }.keys)
        let nodes = Dictionary(grouping: present, by: \.location)
        var shards: [String: [Shard]] = [:]
        for shard in targets.keys.sorted() {
            guard let placement = placements[shard.placement] else { continue }
            let permitted = state.locations.keys.filter(placement.permits)
            for location in shard.preferred(permitted).prefix(placement.watchers) {
                shards[location, default: []].append(shard)
            }
        }
        var plans: [String: LocationPlan] = [:]
        for (location, shards) in shards {
            plans[location] = LocationPlan(
                location: location,
                shards: shards.map { shard in
                    let key = AssignmentKey(shard: shard, location: location)
                    return (shard, targets[shard] ?? 0, state.assignments[key]?.node)
                },
                nodes: nodes[location] ?? [],
                held: held,
                now: now
            )
        }
        return plans
    }

    private func balance(_ plans: inout [String: LocationPlan], _ state: inout AssignmentState, now: Duration) {
        let isCalm = state.lastLoss.map { now - $0 >= lease * Self.calmLeases } ?? true
        let isDue = state.lastRebalance.map { now - $0 >= Self.rebalanceInterval } ?? true
        guard isCalm, isDue else { return }
        var budget = max(1, plans.values.reduce(0) { $0 + $1.owners.count } / Self.rebalanceDivisor)
        var hasMoved = false
        for location in plans.keys.sorted() {
            guard budget > 0, let moves = plans[location]?.balance(atMost: budget) else { break }
            budget -= moves
            hasMoved = hasMoved || moves > 0
        }
        if hasMoved { state.lastRebalance = now }
    }

    private func finish(
        _ planned: AssignmentState,
        from old: AssignmentState,
        plans: some Collection<LocationPlan>
    ) -> AssignmentPlan {
        var state = planned
        let token = old.token + 1
        var owners: [AssignmentKey: Assignment] = [:]
        var unassigned: [AssignmentKey] = []
        for plan in plans {
            for (shard, node) in plan.owners {
                let key = AssignmentKey(shard: shard, location: plan.location)
                let kept = old.assignments[key].flatMap { $0.node == node ? $0 : nil }
                owners[key] = kept ?? Assignment(node: node, token: token)
            }
            unassigned += plan.unassigned.map { AssignmentKey(shard: $0, location: plan.location) }
        }
        let changed = Set(owners.keys).union(old.assignments.keys).filter { owners[$0] != old.assignments[$0] }
        state.assignments = owners
        if !changed.isEmpty { state.token = token }
        return AssignmentPlan(
            state: state,
            changes: changed.sorted().map { AssignmentChange(key: $0, assignment: owners[$0]) },
            unassigned: unassigned.sorted()
        )
    }
}
