// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The owners of the shards that one location watches.
///
/// A node's share is 1.1 times its part of the load by capacity, at least that part and the largest shard, and never more than
/// its capacity. The share bounds what a node receives. What it owns may exceed the share until the load is balanced, and its
/// capacity only while its lease has ended: such a node is not touched before it is dead.
struct LocationPlan: Sendable {
    private struct Host: Sendable {
        let name: String
        let capacity: Int
        /// Receives shards: live, not draining, not held down.
        let isOpen: Bool
        let isLive: Bool
        let isDraining: Bool
        var load = 0

        /// The load by capacity is compared without a division: a / b < c / d as a · d < c · b.
        func isLoadedLess(adding weight: Int, than other: Host) -> Bool {
            let left = (load + weight).multipliedFullWidth(by: other.capacity)
            let right = other.load.multipliedFullWidth(by: capacity)
            return (left.high, left.low) < (right.high, right.low)
        }

        func fits(_ weight: Int) -> Bool { capacity > 0 && load + weight <= capacity }
    }

    let location: String
    private(set) var owners: [Shard: String] = [:]
    private(set) var unassigned: [Shard] = []
    private let weights: [Shard: Int]
    private var hosts: [String: Host] = [:]
    private let names: [String]

    /// Plans everything but the balance.
    ///
    /// - Parameters:
    ///   - location: the location.
    ///   - shards: what it watches, with the number of targets and the present owner.
    ///   - nodes: its nodes that are not dead.
    ///   - held: the names of nodes that receive nothing while another one has capacity.
    ///   - now: the database's time.
    init(
        location: String,
        shards: [(shard: Shard, targets: Int, owner: String?)],
        nodes: [FleetNode],
        held: Set<String>,
        now: Duration
    ) {
        self.location = location
        weights = Dictionary(shards.map { ($0.shard, $0.targets) }) { first, _ in first }
        names = nodes.map(\.name).sorted()
        for node in nodes {
            hosts[node.name] = Host(
                name: node.name,
                capacity: node.capacity,
                isOpen: node.isLive(now) && node.intent == .serve && !held.contains(node.name),
                isLive: node.isLive(now),
                isDraining: node.intent == .drain
            )
        }
        for (shard, _, owner) in shards {
            if let owner, hosts[owner] != nil { own(shard, by: owner) } else { unassigned.append(shard) }
        }
        shedAboveCapacity()
        placeUnassigned()
        drain()
    }

    // MARK: Steps

    private mutating func own(_ shard: Shard, by name: String) {
        let weight = weights[shard] ?? 0
        if let former = owners[shard] { hosts[former]?.load -= weight }
        owners[shard] = name
        hosts[name]?.load += weight
    }

    private func shards(of name: String) -> [Shard] { owners.filter { $0.value == name }.keys.sorted() }

    /// A node whose shards grew, or whose capacity was reduced, loses those that prefer it least.
    private mutating func shedAboveCapacity() {
        for name in names {
            guard let host = hosts[name], host.isLive, host.load > host.capacity else { continue }
            for shard in shards(of: name).sorted(by: { $0.score(name) < $1.score(name) }) {
                guard let load = hosts[name]?.load, load > host.capacity else { break }
                guard let weight = weights[shard], weight > 0 else { continue }
                owners[shard] = nil
                hosts[name]?.load = load - weight
                unassigned.append(shard)
            }
        }
    }

    /// Large shards first, because small ones fit into what is left.
    private mutating func placeUnassigned() {
        let open = names.filter { hosts[$0]?.isOpen == true }
        let lastResort = names.filter { hosts[$0].map { $0.isLive && !$0.isOpen && !$0.isDraining } ?? false }
        let shares = shares(adding: unassigned.reduce(0) { $0 + (weights[$1] ?? 0) })
        let ordered = unassigned.sorted { (weights[$0] ?? 0, $1) > (weights[$1] ?? 0, $0) }
        unassigned = []
        for shard in ordered {
            if let name = place(shard, among: open, shares: shares) ?? place(shard, among: lastResort, shares: [:]) {
                own(shard, by: name)
            } else {
                unassigned.append(shard)
            }
        }
    }

    private mutating func drain() {
        let open = names.filter { hosts[$0]?.isOpen == true }
        for name in names {
            guard let host = hosts[name], host.isDraining, host.isLive else { continue }
            let shares = shares(adding: host.load)
            for shard in shards(of: name) {
                if let receiver = place(shard, among: open, shares: shares) { own(shard, by: receiver) }
            }
        }
    }

    /// The preferred node within its share; else the one with the most room by capacity; nil when the shard fits none.
    private func place(_ shard: Shard, among names: [String], shares: [String: Int]) -> String? {
        let weight = weights[shard] ?? 0
        let fitting = names.compactMap { hosts[$0] }.filter { $0.fits(weight) }
        let within = fitting.filter { $0.load + weight <= shares[$0.name] ?? 0 }
        if let preferred = within.max(by: { (shard.score($0.name), $1.name) < (shard.score($1.name), $0.name) }) {
            return preferred.name
        }
        return fitting.min { $0.isLoadedLess(adding: 0, than: $1) }?.name
    }

    /// The share of each open node.
    private func shares(adding load: Int = 0) -> [String: Int] {
        let open = hosts.values.filter(\.isOpen)
        let capacity = open.reduce(0) { $0 + $1.capacity }
        let total = open.reduce(load) { $0 + $1.load }
        guard capacity > 0 else { return [:] }
        let largest = weights.values.max() ?? 0
        return Dictionary(
            uniqueKeysWithValues: open.map { host in
                let mean = Self.part(of: total, host.capacity, capacity)
                return (host.name, min(host.capacity, max(mean + mean / 10, mean + largest)))
            }
        )
    }

    /// `total · part / whole`, rounded up, for a part of at most the whole.
    private static func part(of total: Int, _ part: Int, _ whole: Int) -> Int {
        let (quotient, remainder) = whole.dividingFullWidth(total.multipliedFullWidth(by: part))
        return quotient + (remainder > 0 ? 1 : 0)
    }

    // MARK: Balance

    /// Moves shards from the most loaded to the least loaded node while one differs from its part by more than 10 % and more than
    /// the largest shard. Each move leaves the receiver below what the giver had, so that no two plans move a shard to and fro.
    ///
    /// - Returns: the number of moves, at most `limit`.
    mutating func balance(atMost limit: Int) -> Int {
        let open = names.filter { hosts[$0]?.isOpen == true }
        // A node that may return takes part again soon, and a shard without an owner needs the room more.
        guard unassigned.isEmpty, hosts.values.allSatisfy(\.isLive), open.count > 1 else { return 0 }
        let capacity = open.reduce(0) { $0 + (hosts[$1]?.capacity ?? 0) }
        let total = open.reduce(0) { $0 + (hosts[$1]?.load ?? 0) }
        guard capacity > 0 else { return 0 }
        let largest = weights.values.max() ?? 0
        var moves = 0
        while moves < limit {
            let loaded = open.compactMap { hosts[$0] }.filter { $0.capacity > 0 }
            let isUneven = loaded.contains { host in
                let mean = Self.part(of: total, host.capacity, capacity)
                return abs(host.load - mean) > max(mean / 10, largest)
            }
            guard isUneven, let giver = loaded.max(by: { $0.isLoadedLess(adding: 0, than: $1) }),
                let receiver = loaded.min(by: { $0.isLoadedLess(adding: 0, than: $1) }),
                let shard = shardToMove(from: giver, to: receiver)
            else { break }
            own(shard, by: receiver.name)
            moves += 1
        }
        return moves
    }

    private func shardToMove(from giver: Host, to receiver: Host) -> Shard? {
        shards(of: giver.name).filter { shard in
            let weight = weights[shard] ?? 0
            return weight > 0 && receiver.fits(weight) && receiver.isLoadedLess(adding: weight, than: giver)
        }.max { ($0.score(receiver.name), $1) < ($1.score(receiver.name), $0) }
    }
}
