// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// The records of all uplinks: follows the default gateways, and counts time. Pure; times are parameters.
package struct UplinkLog: Sendable {
    /// The maximum number of uplinks; the least recently used are removed.
    static let capacity = 64
    /// The maximum number of lost uplinks that remain targets.
    static let maximumLost = 8
    /// The observed length of an outage after which an uplink that another one has replaced is given up: one day.
    static let patience: Int64 = 86_400_000

    /// The records, in the order of their first use.
    package internal(set) var uplinks: [Uplink] = []
    private(set) var environment: NetworkEnvironment?
    private var time: UplinkTime?

    /// Creates an empty log.
    package init() {}

    /// The gateways in use.
    package var inUse: [DefaultGateway] { uplinks.filter { $0.state == .inUse }.map(\.gateway) }

    /// The gateways that failed and that no other network has replaced, the last used first.
    package var lost: [DefaultGateway] {
        let lost = uplinks.filter { $0.state == .lost }.sorted { $0.lastUsed > $1.lastUsed }
        return lost.prefix(Self.maximumLost).map(\.gateway)
    }

    // MARK: Input

    /// Counts the time that elapsed, and gives lost uplinks up when it is time.
    package mutating func advance(to now: UplinkTime) {
        count(to: now)
        settle(at: now.wall)
    }

    /// Follows a change of the environment.
    package mutating func follow(_ environment: NetworkEnvironment, at now: UplinkTime) {
        count(to: now)
        self.environment = environment
        for gateway in environment.gateways { use(gateway, at: now.wall) }
        settle(at: now.wall)
    }

    /// Takes an answer of a gateway in use, or its silence: the second silence in a row is an outage since the first.
    ///
    /// - Returns: Whether the silence should be confirmed.
    package mutating func take(
        _ answer: GatewayAnswer,
        of gateway: DefaultGateway,
        roundTrip: Duration?,
        at now: UplinkTime
    ) -> Bool {
        count(to: now)
        guard let index = index(of: gateway), uplinks[index].state == .inUse else { return false }
        switch answer {
        case .answers:
            uplinks[index].silentSince = nil
            if let roundTrip {
                uplinks[index].gatewayLatency = Uplink.Latency(
                    address: gateway.address,
                    roundTrip: roundTrip,
                    at: now.wall
                )
            }
            uplinks[index].endOutage(.restored, at: now.wall)
        case .silent:
            guard uplinks[index].outage == nil else { return false }
            guard let since = uplinks[index].silentSince else {
                uplinks[index].silentSince = now
                return true
            }
            uplinks[index].silentSince = nil
            uplinks[index].beginOutage(.gatewaySilent, at: since.wall)
            let length = now.milliseconds(since: since)
            uplinks[index].months.add(length, from: since.wall, \.lost)
            uplinks[index].outages[uplinks[index].outages.count - 1].milliseconds += length
        case .unknown, .notNeeded: uplinks[index].silentSince = nil
        }
        return false
    }

    /// Takes the first public hop of a trace through a gateway.
    package mutating func take(_ hop: Uplink.Latency, behind gateway: DefaultGateway) {
        guard let index = index(of: gateway) else { return }
        uplinks[index].publicHop = hop
    }

    // MARK: Decisions

    func index(of gateway: DefaultGateway) -> Int? { uplinks.firstIndex { $0.gateway == gateway } }

    mutating func count(to now: UplinkTime) {
        defer { time = now }
        guard let time else { return }
        let elapsed = now.milliseconds(since: time)
        guard elapsed > 0 else { return }
        // Where the wall clock was set, elapsed time counts where it began.
        for index in uplinks.indices { uplinks[index].count(elapsed, from: time.wall, to: now.wall) }
    }

    private mutating func use(_ gateway: DefaultGateway, at now: Timestamp) {
        if index(of: gateway) == nil { uplinks.append(Uplink(gateway, at: now)) }
        guard let index = index(of: gateway) else { return }
        uplinks[index].beginUse(at: now)
        evict()
    }

    /// Decides on all uplinks through which no default route leads.
    private mutating func settle(at now: Timestamp) {
        guard let environment else { return }
        for index in uplinks.indices where !environment.gateways.contains(uplinks[index].gateway) {
            let uplink = uplinks[index]
            guard uplink.state != .unused else { continue }
            let family = uplink.gateway.address.family
            let isReplaced = environment.gateways.contains {
                $0.address.family == family && $0.interface == uplink.gateway.interface
            }
            let hasOther =
                environment.families.contains(family)
                || environment.gateways.contains { $0.address.family == family }
            let reason = environment.lostGateways[uplink.gateway]
            if uplink.state == .inUse {
                guard !isReplaced, reason != nil || !hasOther else {
                    // The interface works: somebody chose another route.
                    uplinks[index].endUse(.unused, at: now)
                    uplinks[index].endOutage(.replaced, at: now)
                    continue
                }
                uplinks[index].endUse(.lost, at: now)
                uplinks[index].beginOutage(reason.map(UplinkOutage.Cause.init) ?? .routeGone, at: now)
            } else if let end = end(of: uplink, isReplaced: isReplaced, hasOther: hasOther, reason: reason) {
                uplinks[index].endUse(.unused, at: now)
                uplinks[index].endOutage(end, at: now)
            } else if let reason {
                uplinks[index].explainOutage(UplinkOutage.Cause(reason))
            }
        }
    }

    /// Returns why the outage of a lost uplink ends although no default route leads through it; nil when it lasts.
    private func end(
        of uplink: Uplink,
        isReplaced: Bool,
        hasOther: Bool,
        reason: UnsatisfiedReason?
    ) -> UplinkOutage.End? {
        guard let outage = uplink.outage, !isReplaced else { return .replaced }
        guard hasOther else { return nil }
        if reason == nil, !uplink.isRestored { return outage.cause == .routeGone ? .replaced : .restored }
        return outage.milliseconds >= Self.patience ? .expired : nil
    }

    mutating func evict() {
        while uplinks.count > Self.capacity {
            // Those in use are at most as many as the kernel has families.
            let order = uplinks.indices.sorted {
                (Self.rank(uplinks[$0]), uplinks[$0].lastUsed) < (Self.rank(uplinks[$1]), uplinks[$1].lastUsed)
            }
            uplinks.remove(at: order[0])
        }
    }

    private static func rank(_ uplink: Uplink) -> Int {
        switch uplink.state {
        case .unused: 0
        case .lost: 1
        case .inUse: 2
        }
    }
}
