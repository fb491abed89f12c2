// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// Which element of the network explains that targets are silent, decided for all targets together. A value: observations in,
/// readings out; no clock, no lock, no I/O. Times are nanoseconds of a monotonic clock.
///
/// A packet passes elements: the gateway, routers, the link to the host's network, the host. A success proves every element of its
/// way at the time at which it was sent; silence says that one of them is broken. The reading of a silent target is the nearest
/// element that explains it, by the first row that applies. Only packets count that were sent after the first of the target's that was
/// not answered.
///
/// | row | holds | reading |
/// | --- | --- | --- |
/// | D1 | a trace, or a router's report, showed that an element of the way is broken, and no later packet passed it | that element |
/// | D1b | not even the gateway answers a trace, as it did before | the gateway; of some packets alone, what is noted of the target |
/// | D2 | a packet reached the target's network | as D4 |
/// | D3 | two hosts or more are silent behind an element, and no packet passed it since | of the elements that explain the same hosts, the one nearest to them |
/// | D4 | a report concerns this target alone, and is recent | that |
/// | D5 | two other hosts of its network or more are silent now and then, and so often that its own silence may be chance | loss behind the last router |
/// | D6 | none | the host; proven where D2 holds |
///
/// A target that is down by itself is not explained by a fault that began later (D1), nor by loss. Elements that are proven are passed over
/// in D3, so a fault is always behind the last proven router. A fault ends when a packet passes its element; the failures of its targets
/// then begin anew, because they spoke of the fault. What that packet passed does not explain a target that stays silent.
///
/// A step costs the length of the way, and a fault that begins or ends costs what it concerns.
package struct NetworkDiagnosis: Sendable {
    /// How many siblings one failure asks for.
    package static var maximumSiblings: Int { 8 }
    /// How many targets behind a fault are asked at once when it begins; the others have their turns.
    package static var maximumAsked: Int { 1_000 }
    /// How many nodes and targets are looked at to find one sibling.
    static var siblingSteps: Int { 64 }
    /// How many routes are kept of places without a target.
    static var maximumRoutes: Int { 10_000 }
    /// How many hops of a route are kept.
    static var maximumHops: Int { 64 }
    /// How many nodes are known to which packets are dropped at once.
    static var maximumDrops: Int { 16 }
    /// The shortest time between two doubts of one fault: others beside it may come and go.
    static var doubting: UInt64 { 60_000_000_000 }
    /// After how many consecutive reports another router takes the place of the one that reported before: routers of equal paths take
    /// turns.
    static var takeover: Int { 3 }

    struct Target: Sendable {
        var host: IPAddress
        var gateway: Gateway
        /// The node of its network.
        var network: Int
        /// Whether ``network`` follows from a trace to this very target.
        var isTraced = false
        /// When the first probe began that was silent since the last success or the end of a fault; ``unknownBegin`` where the target
        /// was down before.
        var failingSince: UInt64?
        /// When the packet was sent that ended the fault which explained it, and when its answer was seen; nil once it has answered itself.
        /// What that packet passed does not explain it when it stays silent.
        var explanationEnd: (sentAt: UInt64, seenAt: UInt64)?
        /// The start of the newest probe that was silent.
        var lastStart: UInt64 = 0
        /// Silent probes since ``failingSince``.
        var failures = 0
        /// Consecutive probes that failed although packets came to the host.
        var stalls = 0
        /// Its newest results, without those of an outage that is over.
        var recent = RecentResults()
        /// The start of the newest result, or the time at which one was asked for.
        var askedAt: UInt64 = 0

        /// The begin of a failure that is older than all that is known of the target, and than every fault.
        static var unknownBegin: UInt64 { 0 }

        /// Whether it was down before anything that is known of it, and did not answer since.
        var wasDown: Bool { failingSince == Self.unknownBegin }
    }

    /// What was reported of one target alone, and until when that explains its silence.
    struct Note: Sendable {
        var evidence: FaultEvidence
        var reporter: IPAddress?
        var until: UInt64
        /// When the trace began that showed it; nil for a report.
        var tracedAt: UInt64?
        /// Consecutive reports of other routers.
        var others = 0

        /// The end of what holds until the target, or a router on the way to it, answers.
        static var untilAnswered: UInt64 { .max }

        /// Whether packets to the target are dropped before the gateway, or by it.
        var isDrop: Bool { until == Self.untilAnswered }
    }

    /// The routers to a place.
    struct Route: Sendable {
        let hops: [RouteHop]
        /// The number of the host's hop; nil when unknown.
        var length: Int?
        /// When the host answered the trace, in milliseconds since 1970; nil when it did not: they are only as far as the trace came.
        let seenAt: Int64?
    }

    struct Place: Sendable, Hashable {
        let gateway: Gateway
        let prefix: IPPrefix

        init(_ gateway: Gateway, _ host: IPAddress) {
            self.gateway = gateway
            prefix = IPPrefix(host, length: host.family == .ipv4 ? 24 : 48)
        }
    }

    var tree = RouteTree()
    var targets: [UInt64: Target] = [:]
    var notes: [UInt64: Note] = [:]
    /// The nodes to which no packet came since a trace that not even the gateway answered, and what that showed.
    var drops: [Int: Note] = [:]
    /// When the newest trace began that not even the gateway answered.
    var droppedAt: UInt64 = 0
    /// How many faults were found in all: other targets have to be read again after one more.
    package internal(set) var faultCount = 0
    /// The routers to each place, by its newest trace.
    var routes: [Place: Route] = [:]
    /// How often a route was learned.
    package internal(set) var routeRevision: UInt64 = 0
    /// How many targets are in each place.
    private var population: [Place: Int] = [:]

    /// Creates a diagnosis that knows of no target.
    package init() {}

    /// The number of nodes, for tests of bounds.
    package var nodeCount: Int { tree.count }

    // MARK: Ways

    /// Says where a target's packets go. Costs nothing when that is known.
    package mutating func place(_ id: UInt64, _ host: IPAddress, _ gateway: Gateway) {
        guard let known = targets[id] else { return attach(id, host, gateway) }
        guard known.host != host || known.gateway != gateway else { return }
        remove(id)
        attach(id, host, gateway)
    }

    private mutating func attach(_ id: UInt64, _ host: IPAddress, _ gateway: Gateway) {
        let place = Place(gateway, host)
        let route = routes[place]
        let network = node(of: host, place, route?.hops ?? [], length: route?.length)
        targets[id] = Target(host: host, gateway: gateway, network: network)
        tree.update(network) { _ = $0.members.insert(id) }
        population[place, default: 0] += 1
    }

    /// The network of a host that is behind routers; of a host that is one of them, the routers before it count. Networks of IPv6 have 64
    /// bits; that of a whole site is one place.
    mutating func node(of host: IPAddress, _ place: Place, _ routers: [RouteHop], length: Int? = nil) -> Int {
        let before = routers.prefix { !$0.addresses.contains(host) }
        let prefix = host.family == .ipv6 ? IPPrefix(host, length: 64) : place.prefix
        return tree.network(prefix, behind: Array(before), length: length, of: place.gateway)
    }

    /// Forgets a target that is gone or that no longer goes through a gateway.
    package mutating func remove(_ id: UInt64) {
        guard let target = targets.removeValue(forKey: id) else { return }
        notes[id] = nil
        leave(target, id)
        let place = Place(target.gateway, target.host)
        let left = (population[place] ?? 1) - 1
        population[place] = left > 0 ? left : nil
        if left <= 0, routes[place]?.seenAt == nil { routes[place] = nil }
        if routes.count > Self.maximumRoutes, left <= 0 { routes[place] = nil }
    }

    private mutating func leave(_ target: Target, _ id: UInt64) {
        tree.update(target.network) { node in
            node.members.remove(id)
            node.failing.remove(id)
        }
        let isShared =
            tree[target.network]?.failing.contains { targets[$0]?.host == target.host } ?? false
        if target.failingSince != nil, !isShared { tree.clear(target.host, below: target.network) }
        tree.prune(target.network)
    }

    mutating func move(_ id: UInt64, to network: Int) {
        guard let old = targets[id], old.network != network else { return }
        targets[id]?.network = network
        tree.update(network) { node in
            node.members.insert(id)
            if old.failingSince != nil { node.failing.insert(id) }
        }
        leave(old, id)
        if let since = old.failingSince { tree.suspect(old.host, below: network, since: since) }
    }
}
