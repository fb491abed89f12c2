// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// The way of packets from this machine: gateways, the routers behind them, and the networks behind these. Pure.
///
/// A node is reached when a packet came there and passed when one came from there to the next node. What a packet passed is
/// proven for its time; of two nodes of one way, the nearer one is proven for no shorter time.
struct RouteTree: Sendable {
    /// What a node stands for, below its parent.
    enum Key: Sendable, Hashable {
        /// The next hop of this machine's packets.
        case gateway(Gateway)
        /// A router that a trace showed.
        case router(hop: Int, IPAddress)
        /// The hosts with a common prefix, and the link that leads to them behind routers that answer no trace.
        case network(IPPrefix, silent: Int)
    }

    struct Node: Sendable {
        let key: Key
        /// The node before it; nil for a gateway.
        fileprivate(set) var parent: Int?
        /// Its distance, from 1; of a network, that of its last router.
        let hop: Int
        /// The addresses from which it answers.
        var addresses: [IPAddress]
        var children: [Key: Int] = [:]
        /// The start of the newest packet that came to it.
        var reachedAt: UInt64 = 0
        /// The start of the newest packet that it led on.
        var passedAt: UInt64 = 0
        /// The start of the newest trace that it answered.
        var answeredAt: UInt64 = 0
        /// Until when it sent errors, as far as is known.
        var spokeAt: UInt64 = 0
        /// When it reported last that it does not forward.
        var reportedAt: UInt64 = 0
        /// The start of the packet that ended its last fault that a trace or a report had shown.
        var endedAt: UInt64 = 0
        /// It, or the link to it, is broken.
        var fault: PathFault?
        /// It answers and leads nothing on.
        var forwardingFault: PathFault?
        /// Packets that it leads on are lost now and then, as long as results show it.
        var isLossy = false
        /// Hosts below it that are silent since a time at which it was not proven to lead anything on.
        var suspects: [IPAddress: UInt64] = [:]
        /// Of a network: the last hop that answered the newest trace that no host of it did.
        var tracedHop = 0
        /// Of a network: all its targets, and those that fail.
        var members: Set<UInt64> = []
        var failing: Set<UInt64> = []

        /// Whether a way ends at it.
        var isFaulty: Bool { fault != nil || forwardingFault != nil }

        var isNetwork: Bool { if case .network = key { true } else { false } }
    }

    private(set) var nodes: [Int: Node] = [:]
    private var gateways: [Gateway: Int] = [:]
    /// The routers behind each gateway by distance and address.
    private var routers: [RouterKey: Int] = [:]
    /// The nodes of each prefix: its hosts may be behind several routers.
    private var networks: [IPPrefix: Set<Int>] = [:]
    private var next = 0

    private struct RouterKey: Hashable {
        let gateway: Gateway
        let hop: Int
        let address: IPAddress
    }

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
    /// - Parameters:
    ///   - routers: The routers behind the gateway in the order of the way; empty hops are left out.
    ///   - length: The number of the hosts' hop; nil when unknown.
    mutating func network(_ prefix: IPPrefix, behind routers: [RouteHop], length: Int? = nil, of gateway: Gateway)
        -> Int
    {
        var place = self.gateway(gateway)
        for router in routers {
            // Distances grow, or the route is not one.
            guard let address = router.addresses.first, router.hop == 1 || router.hop > nodes[place]?.hop ?? 1 else {
                continue
            }
            if router.hop == 1 {
                update(place) { $0.add(router.addresses) }
                continue
            }
            place = self.router(router, address, below: place, gateway)
        }
        let last = nodes[place]?.hop ?? 1
        let silent = length.map { max($0 - 1 - last, 0) } ?? 0
        let id = child(of: place, .network(prefix, silent: silent), hop: last, addresses: [])
        networks[prefix, default: []].insert(id)
        return id
    }

    /// The other nodes of a network's prefix.
    func others(of id: Int) -> Set<Int> {
        guard case .network(let prefix, _) = nodes[id]?.key, let all = networks[prefix], all.count > 1 else {
            return []
        }
        return all.subtracting([id])
    }

    /// The router of a hop on the way from a node. A trace may lack hops that did not answer it: where another trace shows the router
    /// farther from the node, the way leads over what lies between; where it shows the router before the node, that way is completed.
    private mutating func router(
        _ hop: RouteHop,
        _ address: IPAddress,
        below place: Int,
        _ gateway: Gateway
    ) -> Int {
        if let child = nodes[place]?.children[.router(hop: hop.hop, address)] { return child }
        let key = RouterKey(gateway: gateway, hop: hop.hop, address: address)
        if let known = routers[key], let parent = nodes[known]?.parent {
            if way(to: known).contains(place) { return known }
            let way = way(to: place)
            if way.contains(parent), !way.contains(known) {
                graft(known, below: place)
                return known
            }
        }
        let id = child(of: place, hop, address)
        routers[key] = id
        return id
    }

    /// Puts a node, and what is behind it, behind a node that follows its present parent.
    private mutating func graft(_ id: Int, below place: Int) {
        guard let node = nodes[id], let parent = node.parent else { return }
        update(parent) { $0.children[node.key] = nil }
        update(id) { $0.parent = place }
        update(place) { $0.children[node.key] = id }
        // What passed the node passed what is now before it.
        for between in way(to: place).reversed().prefix(while: { $0 != parent }) {
            update(between) { above in
                above.reachedAt = max(above.reachedAt, node.reachedAt)
                above.passedAt = max(above.passedAt, node.reachedAt)
                for (host, since) in node.suspects
                where above.suspects[host] == nil && since > above.passedAt {
                    above.suspects[host] = since
                }
            }
        }
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
        return child(
            of: parent,
            .router(hop: router.hop, address),
            hop: router.hop,
            addresses: router.addresses
        )
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
        while let current = place, let node = nodes[current], node.children.isEmpty,
            node.members.isEmpty
        {
            let root = way(to: current).first.flatMap { nodes[$0]?.key }
            nodes[current] = nil
            if case .gateway(let gateway) = node.key { gateways[gateway] = nil }
            if case .network(let prefix, _) = node.key {
                networks[prefix]?.remove(current)
                if networks[prefix]?.isEmpty == true { networks[prefix] = nil }
            }
            if case .router(let hop, let address) = node.key, case .gateway(let gateway) = root {
                routers[RouterKey(gateway: gateway, hop: hop, address: address)] = nil
            }
            if let parent = node.parent { update(parent) { $0.children[node.key] = nil } }
            place = node.parent
        }
    }

    /// The last node that leads to a network and to all other nodes of its prefix.
    func common(to id: Int) -> Int {
        let others = others(of: id)
        guard !others.isEmpty else { return id }
        var way = way(to: id)
        for other in others { way = zip(way, self.way(to: other)).prefix { $0 == $1 }.map(\.0) }
        return way.last ?? id
    }

    /// A failing target below a node that fulfils a condition.
    func firstFailing(below id: Int, where fulfils: (UInt64) -> Bool) -> UInt64? {
        var open = [id]
        while let current = open.popLast(), let node = nodes[current] {
            if let found = node.failing.first(where: fulfils) { return found }
            open += node.children.values
        }
        return nil
    }

    /// The failing targets below a node. Costs the number of nodes below it.
    func failing(below id: Int) -> [UInt64] { collect(\.failing, below: id) }

    /// All targets below a node. Costs the number of nodes below it.
    func members(below id: Int) -> [UInt64] { collect(\.members, below: id) }

    private func collect(_ ids: KeyPath<Node, Set<UInt64>>, below id: Int) -> [UInt64] {
        var found: [UInt64] = []
        var open = [id]
        while let current = open.popLast(), let node = nodes[current] {
            found += node[keyPath: ids]
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
}
