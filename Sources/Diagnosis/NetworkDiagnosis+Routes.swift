// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// The ways that traces show.
extension NetworkDiagnosis {
    /// Learns the routers to a target from a trace that it answered. Other targets of its place without a trace of their own take the
    /// same way.
    ///
    /// A trace during which the way changed shows no route: that some packet of it came to the target ends a fault all the same.
    ///
    /// - Parameters:
    ///   - hops: The hops before the target that answered.
    ///   - length: The number of the target's own hop; nil when unknown.
    ///   - start: When the trace began.
    ///   - end: When it ended.
    ///   - moment: The same by the wall clock, in milliseconds since 1970.
    /// - Returns: The targets that have to be probed again, because a fault ended.
    package mutating func learn(
        _ id: UInt64,
        _ hops: [RouteHop],
        length: Int? = nil,
        at start: UInt64,
        until end: UInt64 = 0,
        _ moment: Int64 = 0
    ) -> [UInt64] {
        guard let target = targets[id] else { return [] }
        if Self.isRoute(hops, behind: target.gateway.address) {
            let isSame = length.map { isKnown(hops, length: $0, to: target.network) } == true
            // The last router may have had to wait with its answer, or it is another one, which answers nobody.
            targets[id]?.isTraced = !isSame || hops.last?.hop ?? 1 >= (length ?? 1) - 1
            if !isSame {
                let route = Route(hops: Array(hops.prefix(Self.maximumHops)), length: length, seenAt: moment)
                follow(Place(target.gateway, target.host), route, of: id)
            }
        }
        if hops.first?.hop == 1, let gateway = targets[id].flatMap({ tree.way(to: $0.network).first }) {
            tree.update(gateway) { $0.speak(from: start, until: end) }
        }
        return reached(id, at: start, until: end, isBack: true)
    }

    /// Whether packets went the same way for the whole trace: no router comes again behind another one, as where two routers disagree.
    private static func isRoute(_ hops: [RouteHop], behind gateway: IPAddress) -> Bool {
        var last = [gateway: 1]
        for hop in hops {
            for address in hop.addresses {
                if let before = last[address], hop.hop > before + 1 { return false }
                last[address] = hop.hop
            }
        }
        return true
    }

    /// Whether a trace shows the known way, perhaps without some routers that did not answer it.
    private func isKnown(_ hops: [RouteHop], length: Int, to network: Int) -> Bool {
        let routers = tree.way(to: network).dropLast().compactMap { tree[$0] }
        guard routers.count > 1, routers.last?.hop == length - 1 else { return false }
        return hops.allSatisfy { hop in
            routers.contains {
                $0.hop == hop.hop && ($0.hop == 1 || $0.addresses.contains(where: hop.addresses.contains))
            }
        }
    }

    /// Has a target, and those of its place that were not traced, take a way.
    mutating func follow(_ place: Place, _ route: Route, of id: UInt64) {
        guard let target = targets[id] else { return }
        routes[place] = route
        if route.seenAt != nil { routeRevision += 1 }
        let hops = route.hops
        let old = target.network
        let network = node(of: target.host, place, hops, length: route.length)
        let borrowers =
            network == old ? [] : tree[old]?.members.filter { targets[$0]?.isTraced == false } ?? []
        move(id, to: network)
        for borrower in borrowers where borrower != id {
            guard let host = targets[borrower]?.host else { continue }
            move(borrower, to: node(of: host, place, hops, length: route.length))
        }
    }

    /// Whether the routers to a target are known from a trace that it, or another target of its place, answered.
    package func isRouteKnown(_ id: UInt64) -> Bool {
        seenAt(id) != nil
    }

    /// When the routers to a target were seen last, in milliseconds since 1970.
    func seenAt(_ id: UInt64) -> Int64? {
        targets[id].flatMap { routes[Place($0.gateway, $0.host)]?.seenAt }
    }

    // MARK: Storing

    /// All known routes, the newest first, at most so many.
    package func routes(limit: Int) -> [StoredRoute] {
        let known = routes.compactMap { place, route in
            route.seenAt.map {
                StoredRoute(
                    gateway: place.gateway,
                    prefix: place.prefix,
                    hops: route.hops,
                    length: route.length,
                    seenAt: $0
                )
            }
        }
        return Array(known.sorted { $0.seenAt > $1.seenAt }.prefix(limit))
    }

    /// Adds routes of an earlier run; those of this run take precedence.
    package mutating func restore(_ stored: [StoredRoute]) {
        for route in stored {
            let place = Place(route.gateway, route.prefix.address)
            guard place.prefix == route.prefix, routes[place]?.seenAt == nil else { continue }
            let hops = Array(route.hops.prefix(Self.maximumHops))
            routes[place] = Route(hops: hops, length: route.length, seenAt: route.seenAt)
        }
        for (id, target) in targets where !target.isTraced {
            let place = Place(target.gateway, target.host)
            move(id, to: node(of: target.host, place, routes[place]?.hops ?? [], length: routes[place]?.length))
        }
    }
}

/// The routers behind a gateway to the hosts of a prefix.
package struct StoredRoute: Sendable, Hashable {
    /// The gateway.
    package let gateway: Gateway
    /// The hosts' prefix.
    package let prefix: IPPrefix
    /// The hops before the hosts, from hop 1; silent ones are left out.
    package let hops: [RouteHop]
    /// The number of the hosts' hop; nil when unknown.
    package let length: Int?
    /// When a host answered the trace, in milliseconds since 1970.
    package let seenAt: Int64

    /// Creates a route.
    package init(gateway: Gateway, prefix: IPPrefix, hops: [RouteHop], length: Int? = nil, seenAt: Int64) {
        (self.gateway, self.prefix, self.hops, self.length, self.seenAt) = (gateway, prefix, hops, length, seenAt)
    }
}
