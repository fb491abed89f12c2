// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// What packets show of nodes.
extension RouteTree {
    /// Notes that a packet, sent at a time, passed the nodes before one and came to it.
    ///
    /// - Parameters:
    ///   - passes: Whether it led the packet on; that to a network always came to a host.
    ///   - isBack: Whether the packet was to a target that failed before: then what was reported is over. A router that has no route to some
    ///     networks leads packets to others on.
    /// - Returns: The nodes whose fault that ended.
    mutating func prove(_ id: Int, at start: UInt64, passes isLed: Bool = false, isBack: Bool = true) -> [Int] {
        var ended: [Int] = []
        var place: Int? = id
        var isLast = true
        while let current = place, let node = nodes[current] {
            place = node.parent
            let passes = !isLast || isLed || node.isNetwork
            isLast = false
            guard node.reachedAt < start || passes && node.passedAt < start else { continue }
            let isEnded = update(current) { $0.prove(at: start, passes: passes) }
            guard isEnded == true else { continue }
            ended.append(current)
            if !isBack, let report = node.fault, report.witness == .report, !report.isLoop {
                leave(report, behind: current)
            }
        }
        return ended
    }

    /// Has a report go on for the places behind a node to which no packet came since, and where targets are silent.
    private mutating func leave(_ report: PathFault, behind id: Int) {
        guard let children = nodes[id]?.children.values else { return }
        for child in children {
            guard let node = nodes[child], node.fault == nil, node.reachedAt < report.since,
                firstFailing(below: child, where: { _ in true }) != nil
            else { continue }
            var rest = report
            (rest.last, rest.following, rest.network) = ends(at: child)
            update(child) { $0.fault = rest }
        }
    }

    /// What a fault at a node is between: the last router that packets reach, and the router or the network that follows.
    func ends(at id: Int, isForwarding: Bool = false) -> (last: RouteHop?, following: RouteHop?, network: IPPrefix?) {
        func hop(_ node: Node?) -> RouteHop? { node.map { RouteHop($0.hop, $0.addresses) } }
        let node = nodes[id]
        guard !isForwarding else { return (hop(node), nil, nil) }
        let last = hop(node?.parent.flatMap { nodes[$0] })
        if case .network(let prefix, _) = node?.key { return (last, nil, prefix) }
        return (last, hop(node), nil)
    }

    /// Notes that routers answered a trace, or a probe, themselves, between its start and its end.
    ///
    /// - Parameter patience: Routers ration their answers: two traces that began within this time do not contradict each other.
    /// - Returns: The nodes whose fault that ended.
    mutating func answer(_ ids: some Sequence<Int>, at start: UInt64, until end: UInt64, patience: UInt64)
        -> [Int]
    {
        ids.filter { id in
            update(id) { node in
                node.speak(from: start, until: end)
                func isRefuted(_ fault: PathFault?) -> Bool {
                    fault.map { $0.witness == .trace && $0.since <= start + patience } ?? false
                }
                let isEnded = isRefuted(node.fault) || isRefuted(node.forwardingFault)
                if isRefuted(node.fault) { node.fault = nil }
                if isRefuted(node.forwardingFault) { node.forwardingFault = nil }
                return isEnded
            } ?? false
        }
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
}

extension RouteTree.Node {
    /// Notes that it answered a trace, or a probe, itself.
    mutating func speak(from start: UInt64, until end: UInt64) {
        answeredAt = max(answeredAt, start)
        spokeAt = max(spokeAt, start, end)
    }

    /// Notes that the targets behind its fault are asked; returns whether they were not before.
    mutating func countAsked() -> Bool {
        let isFirst = fault?.isAsked == false || forwardingFault?.isAsked == false
        fault?.isAsked = true
        forwardingFault?.isAsked = true
        return isFirst
    }

    /// Notes a packet that came here; returns whether that ended a fault.
    fileprivate mutating func prove(at start: UInt64, passes: Bool) -> Bool {
        var isEnded = false
        reachedAt = max(reachedAt, start)
        if let known = fault, known.renewedAt <= start {
            fault = nil
            isEnded = true
            if known.witness != .silence { endedAt = start }
        }
        guard passes, start > passedAt else { return isEnded }
        passedAt = start
        if let known = forwardingFault, known.renewedAt <= start {
            forwardingFault = nil
            isEnded = true
        }
        if !suspects.isEmpty { suspects = suspects.filter { $0.value > start } }
        return isEnded
    }
}
