// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// The way of packets from this machine: gateways, the routers behind them, and the networks behind these. Pure.
///
/// A node is reached when a packet came there and passed when one came from there to the next node. What a packet passed is
/// proven for its time; of two nodes of one way, the nearer one is proven for no shorter time.
struct RouteTree<Evidence: Sendable>: Sendable {
    /// What a node stands for, below its parent.
    enum Key: Sendable, Hashable {
        /// The next hop of this machine's packets.
        case gateway(Gateway)
        /// A router that a trace showed.
        case router(hop: Int, IPAddress)
        /// The hosts with a common prefix, and the link that leads to them.
        case network(IPPrefix)
    }

    struct Node: Sendable {
        let key: Key
        /// The node before it; nil for a gateway.
        let parent: Int?
        /// Its distance, from 1; of a network, that of its last router.
        let hop: Int
        /// The addresses from which it answers.
        var addresses: [IPAddress]
        var children: [Key: Int] = [:]
        /// The start of the newest packet that came to it.
        var reachedAt: UInt64 = 0
        /// The start of the newest packet that it led on.
        var passedAt: UInt64 = 0
        /// It, or the link to it, is broken.
        var fault: PathFault<Evidence>?
        /// It answers and leads nothing on.
        var forwardingFault: PathFault<Evidence>?
        /// Hosts below it that are silent since a time at which it was not proven to lead anything on.
        var suspects: [IPAddress: UInt64] = [:]
        /// Of a network: all its targets, and those that fail.
        var members: Set<UInt64> = []
        var failing: Set<UInt64> = []

        var isNetwork: Bool { if case .network = key { true } else { false } }
    }

    private(set) var nodes: [Int: Node] = [:]
    private var gateways: [Gateway: Int] = [:]
    private var next = 0

    /// The number of nodes.
    var count: Int { nodes.count }

    subscript(_ id: Int) -> Node? { nodes[id] }

    /// Changes a node.
    mutating func update<Answer>(_ id: Int, _ body: (inout Node) -> Answer) -> Answer? {
        guard let index = nodes.index(forKey: id) else { return nil }
        return body(&nodes.values[index])
    }

    /// The nodes from a gateway to a node.
    func way(to id: Int) -> [Int] {
        var way: [Int] = []
        var place: Int? = id
        while let current = place, let node = nodes[current] {
            way.append(current)
            place = node.parent
        }
        return way.reversed()
    }

    /// Returns a gateway's node.
    mutating func gateway(_ gateway: Gateway) -> Int {
        if let known = gateways[gateway] { return known }
        let id = insert(Node(key: .gateway(gateway), parent: nil, hop: 1, addresses: [gateway.address]))
        gateways[gateway] = id
        return id
    }

    /// Returns the node of a network behind routers.
    ///
    /// - Parameter routers: The routers behind the gateway in the order of the way; empty hops are left out.
    mutating func network(_ prefix: IPPrefix, behind routers: [RouteHop], of gateway: Gateway) -> Int {
        var place = self.gateway(gateway)
        for router in routers {
            guard let address = router.addresses.first else { continue }
            if router.hop == 1 {
                update(place) { $0.add(router.addresses) }
                continue
            }
            place = child(of: place, router, address)
        }
        return child(of: place, .network(prefix), hop: nodes[place]?.hop ?? 1, addresses: [])
    }

    /// The router of a hop below a node: one with a common address, or a new one. Routers of equal paths, which one trace shows at
    /// one hop, are one node.
    private mutating func child(of parent: Int, _ router: RouteHop, _ address: IPAddress) -> Int {
        if nodes[parent]?.children[.router(hop: router.hop, address)] == nil {
            let twin = nodes[parent]?.children.first { key, id in
                guard case .router(router.hop, _) = key, let node = nodes[id] else { return false }
                return node.addresses.contains(where: router.addresses.contains)
            }
            if let twin {
                update(twin.value) { $0.add(router.addresses) }
                return twin.value
            }
        }
        return child(of: parent, .router(hop: router.hop, address), hop: router.hop, addresses: router.addresses)
    }

    private mutating func child(of parent: Int, _ key: Key, hop: Int, addresses: [IPAddress]) -> Int {
        if let known = nodes[parent]?.children[key] { return known }
        let id = insert(Node(key: key, parent: parent, hop: hop, addresses: addresses))
        update(parent) { $0.children[key] = id }
        return id
    }

    private mutating func insert(_ node: Node) -> Int {
        next += 1
        nodes[next] = node
        return next
    }

    /// Removes a node that leads to no target, and those before it that then lead to none.
    mutating func prune(_ id: Int) {
        var place: Int? = id
        while let current = place, let node = nodes[current], node.children.isEmpty, node.members.isEmpty {
            nodes[current] = nil
            if case .gateway(let gateway) = node.key { gateways[gateway] = nil }
            if let parent = node.parent { update(parent) { $0.children[node.key] = nil } }
            place = node.parent
        }
    }

    /// Notes that a packet, sent at a time, passed the nodes before one and came to it.
    ///
    /// - Returns: The nodes whose fault that ended.
    mutating func prove(_ id: Int, at start: UInt64) -> [Int] {
        var ended: [Int] = []
        var place: Int? = id
        var isLast = true
        while let current = place, let node = nodes[current] {
            place = node.parent
            let passes = !isLast || node.isNetwork
            isLast = false
            guard node.reachedAt < start || passes && node.passedAt < start else { continue }
            let isEnded = update(current) { $0.prove(at: start, passes: passes) }
            if isEnded == true { ended.append(current) }
        }
        return ended
    }

    /// Counts a silent host in all nodes that lead to it.
    mutating func suspect(_ host: IPAddress, below id: Int, since: UInt64) {
        var place: Int? = id
        while let current = place {
            place =
                update(current) { node in
                    if node.passedAt < since, node.suspects[host] == nil { node.suspects[host] = since }
                    return node.parent
                } ?? nil
        }
    }

    /// No longer counts a host.
    mutating func clear(_ host: IPAddress, below id: Int) {
        var place: Int? = id
        while let current = place {
            place =
                update(current) { node in
                    if !node.suspects.isEmpty { node.suspects[host] = nil }
                    return node.parent
                } ?? nil
        }
    }

    /// The failing targets below a node. Costs the number of nodes below it.
    func failing(below id: Int) -> [UInt64] {
        var found: [UInt64] = []
        var open = [id]
        while let current = open.popLast(), let node = nodes[current] {
            found += node.failing
            open += node.children.values
        }
        return found
    }
}

extension RouteTree.Node {
    /// Adds addresses from which it answers.
    fileprivate mutating func add(_ more: [IPAddress]) {
        for new in more where !addresses.contains(new) && addresses.count < RouteHop.maximumAddresses {
            addresses.append(new)
        }
    }

    /// Notes a packet that came here; returns whether that ended a fault.
    fileprivate mutating func prove(at start: UInt64, passes: Bool) -> Bool {
        var isEnded = false
        reachedAt = max(reachedAt, start)
        if let known = fault, known.since <= start {
            fault = nil
            isEnded = true
        }
        guard passes, start > passedAt else { return isEnded }
        passedAt = start
        if let known = forwardingFault, known.since <= start {
            forwardingFault = nil
            isEnded = true
        }
        if !suspects.isEmpty { suspects = suspects.filter { $0.value > start } }
        return isEnded
    }
}
