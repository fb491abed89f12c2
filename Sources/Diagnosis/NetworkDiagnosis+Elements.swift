// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// An element of the way to silent targets, and what was observed of it.
package struct WayElement: Sendable {
    /// What it is.
    package enum Kind: Sendable, Hashable {
        /// The next hop of this machine's packets.
        case gateway
        /// A router behind the gateway.
        case router
        /// The hosts with a common prefix, behind one last router.
        case network(IPPrefix)
        /// The host of a target.
        case host
    }

    /// What it is.
    package let kind: Kind
    /// Its distance, from 1; of a network or a host, that of the last router before it.
    package let hop: Int
    /// The addresses from which it answers; empty for a network.
    package let addresses: [IPAddress]
    /// The number of targets behind it.
    package internal(set) var targets = 0
    /// Those of them that did not answer their newest probe.
    package internal(set) var silent = 0
    /// The number of hosts that are silent since a time at which it was not proven to lead anything on.
    package let suspects: Int
    /// When the newest packet was sent that came to it; nil for never.
    package let reachedAt: UInt64?
    /// When the newest packet was sent that it led on; nil for never, and for a host.
    package let passedAt: UInt64?
    /// When the newest trace began that it answered; nil for never.
    package let answeredAt: UInt64?
    /// The fault that ends the way here; nil when it is not at fault.
    package let fault: PathFault?
    /// Whether the fault is that it leads nothing on, and not that nothing comes to it.
    package let isForwardingFault: Bool
}

/// The elements that were considered for silent targets.
package struct WayElements: Sendable {
    /// The elements, each behind the one before it or at the end of another way.
    package internal(set) var elements: [WayElement] = []
    /// The number of silent targets whose ways these are.
    package internal(set) var considered = 0
    /// When the first silent probe of one of them began; nil without one.
    package internal(set) var since: UInt64?
    /// Whether all targets behind the elements were counted.
    package internal(set) var isCountComplete = true
}

extension NetworkDiagnosis {
    /// How many targets are considered.
    package static var maximumConsidered: Int { 256 }
    /// How many ways of them, and how many hosts.
    static var maximumWays: Int { 8 }
    /// How many nodes are visited to count targets.
    static var countingSteps: Int { 10_000 }

    /// The elements of the ways to some targets, as far as these are silent. Changes nothing; costs at most the limits above.
    ///
    /// - Parameters:
    ///   - ids: The targets, of which the first ``maximumConsidered`` count.
    ///   - isHost: Whether the hosts are at fault: a way then does not end at a fault that began later.
    package func elements(of ids: some Sequence<UInt64>, isHost: Bool) -> WayElements {
        var found = WayElements()
        var outline = WayOutline()
        var ways: Set<Int> = []
        var hosts: [IPAddress] = []
        for id in ids.prefix(Self.maximumConsidered) {
            guard let target = targets[id], let since = target.failingSince else { continue }
            var way = tree.way(to: target.network)
            if !isHost, let end = way.firstIndex(where: { tree[$0]?.isFaulty == true }) { way = Array(way[...end]) }
            guard let last = way.last else { continue }
            guard ways.contains(last) || ways.count < Self.maximumWays else { continue }
            if isHost, !hosts.contains(target.host) {
                guard hosts.count < Self.maximumWays else { continue }
                hosts.append(target.host)
                outline.hosts[target.network, default: []].append(target.host)
            }
            if ways.insert(last).inserted { outline.add(way) }
            found.considered += 1
            found.since = min(found.since ?? since, since)
        }
        let counts = counts(below: outline.roots)
        found.isCountComplete = counts.isComplete
        for place in outline.ordered {
            guard let node = tree[place] else { continue }
            found.elements.append(WayElement(node, counts.nodes[place] ?? (0, 0)))
            for host in outline.hosts[place] ?? [] {
                found.elements.append(element(of: host, node, isComplete: &found.isCountComplete))
            }
        }
        return found
    }

    /// The number of a target's hop by its newest good trace, or that of a neighbour; nil when none is known.
    package func distance(of id: UInt64) -> Int? {
        guard let target = targets[id], let route = routes[Place(target.gateway, target.host)], route.seenAt != nil,
            let last = tree[target.network]?.hop
        else { return nil }
        return max(last + 1, route.hops.last?.hop ?? 1 <= last ? route.length ?? 0 : 0)
    }

    /// The targets behind nodes, and the silent ones.
    private func counts(below roots: [Int]) -> (nodes: [Int: (targets: Int, silent: Int)], isComplete: Bool) {
        var nodes: [Int: (targets: Int, silent: Int)] = [:]
        var visited: [Int] = []
        var open = roots
        while let place = open.popLast(), visited.count < Self.countingSteps {
            guard let node = tree[place] else { continue }
            visited.append(place)
            nodes[place] = (node.members.count, node.failing.count)
            open += node.children.values
        }
        // Each node is visited before those behind it.
        for place in visited.reversed() {
            guard let count = nodes[place], let parent = tree[place]?.parent, let sum = nodes[parent] else { continue }
            nodes[parent] = (sum.targets + count.targets, sum.silent + count.silent)
        }
        return (nodes, open.isEmpty)
    }

    private func element(
        of host: IPAddress,
        _ network: RouteTree.Node,
        isComplete: inout Bool
    ) -> WayElement {
        let members = network.members.prefix(Self.countingSteps).filter { targets[$0]?.host == host }
        if network.members.count > Self.countingSteps { isComplete = false }
        return WayElement(
            kind: .host,
            hop: network.hop,
            addresses: [host],
            targets: members.count,
            silent: members.count(where: network.failing.contains),
            suspects: 1,
            reachedAt: nil,
            passedAt: nil,
            answeredAt: nil,
            fault: nil,
            isForwardingFault: false
        )
    }
}

extension WayElement {
    fileprivate init(_ node: RouteTree.Node, _ counts: (targets: Int, silent: Int)) {
        kind =
            switch node.key {
            case .gateway: .gateway
            case .router: .router
            case .network(let prefix, _): .network(prefix)
            }
        hop = node.hop
        addresses = node.addresses
        (targets, silent) = counts
        suspects = node.suspects.count
        func known(_ moment: UInt64) -> UInt64? { moment > 0 ? moment : nil }
        reachedAt = known(node.reachedAt)
        passedAt = known(node.passedAt)
        answeredAt = known(node.answeredAt)
        fault = node.fault ?? node.forwardingFault
        isForwardingFault = node.fault == nil && node.forwardingFault != nil
    }
}

/// Nodes of some ways, in the order in which people read a tree.
private struct WayOutline {
    private(set) var roots: [Int] = []
    private var following: [Int: [Int]] = [:]
    /// The silent hosts of a network.
    var hosts: [Int: [IPAddress]] = [:]

    /// Adds a way, from the gateway on.
    mutating func add(_ way: [Int]) {
        guard let root = way.first else { return }
        if !roots.contains(root) { roots.append(root) }
        for (place, next) in zip(way, way.dropFirst()) where following[place]?.contains(next) != true {
            following[place, default: []].append(next)
        }
    }

    /// Each node behind those before it.
    var ordered: [Int] {
        var ordered: [Int] = []
        var open = Array(roots.reversed())
        while let place = open.popLast() {
            ordered.append(place)
            open += (following[place] ?? []).reversed()
        }
        return ordered
    }
}
