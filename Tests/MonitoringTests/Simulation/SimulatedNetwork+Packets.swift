// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import Probing

@testable import Monitoring

extension SimulatedNetwork {
    /// What became of a packet.
    enum Fate {
        case lost
        case answered(after: UInt64)
        case refused(after: UInt64)
        /// Its TTL was exhausted.
        case expired(IPAddress, hops: Int, after: UInt64)
        /// A router reports that it does not forward it.
        case unreachable(IPAddress, isHost: Bool, hops: Int, after: UInt64)
    }

    struct Packet {
        let host: Int
        let service: Int
        var timeToLive = 64
        var flow: UInt64
        var time: UInt64
        /// Tells packets apart.
        var number: UInt64 = 0

        init(_ network: SimulatedNetwork, _ service: Int, flow: UInt64, at time: UInt64) {
            host = network.services[service].host
            self.service = service
            self.flow = flow
            self.time = time
        }
    }

    private static var hopTime: UInt64 { 1_500_000 }
    /// How long a router asks for a neighbour.
    private static var neighbourTime: UInt64 { 3_000_000_000 }
    static var ownAddress: IPAddress { IPAddress(ipv4: 0xC000_0207) }

    /// Follows a packet and what is replied to it.
    ///
    /// - Parameter isIdeal: Whether nothing is lost at random or rationed.
    func walk(_ packet: Packet, isIdeal: Bool = false) -> (fate: Fate, fault: Int?) {
        let host = hosts[packet.host]
        let (way, time, subnet) = (ways[host.stage], packet.time, host.subnet)
        if !isIdeal, isLost(packet, 1) { return (.lost, nil) }
        for (position, stage) in way.enumerated() {
            let router = router(of: stage, packet.host, flow: packet.flow)
            if let fault = fault(.deadLink, stage, router, subnet, at: time) {
                let isReported = faults[fault].isReported && position > 0
                return (isReported ? absent(packet, behind: position - 1, isIdeal) : .lost, fault)
            }
            if let fault = fault(.noRoute, stage, router, subnet, at: time) {
                let fate = report(packet, from: position, isIdeal) {
                    .unreachable($0, isHost: false, hops: $1, after: $2)
                }
                return (fate, fault)
            }
            if packet.timeToLive == position + 1 { return (expire(packet, at: position, isIdeal), nil) }
            if let fault = fault(.drop, stage, router, subnet, at: time) { return (.lost, fault) }
            if position > 0, let fault = fault(.loop, stage, router, subnet, at: time) {
                let isBack = !(packet.timeToLive - position - 1).isMultiple(of: 2)
                return (expire(packet, at: isBack ? position - 1 : position, isIdeal), fault)
            }
        }
        if let fault = fault(.deadSubnet, host.stage, 0, subnet, at: time)
            ?? fault(.deadHost, host: packet.host, at: time)
        {
            return (faults[fault].isReported ? absent(packet, behind: way.count - 1, isIdeal) : .lost, fault)
        }
        if let fault = fault(.silentService, host: packet.host, service: packet.service, at: time) {
            return (.lost, fault)
        }
        let fault = fault(.refusedService, host: packet.host, service: packet.service, at: time)
        let (isBack, broken) = comesBack(packet, through: host.stage, isIdeal)
        guard isBack else { return (.lost, broken) }
        let after = UInt64(way.count + 1) * 2 * Self.hopTime
        return (fault == nil ? .answered(after: after) : .refused(after: after), fault)
    }

    private func isLost(_ packet: Packet, _ direction: UInt64) -> Bool {
        guard lossRate > 0 else { return false }
        return SimulatedRandom.noise(seed, packet.flow, packet.number, packet.time, direction) < lossRate
    }

    private func expire(_ packet: Packet, at position: Int, _ isIdeal: Bool) -> Fate {
        let stage = ways[hosts[packet.host].stage][position]
        let number = router(of: stage, packet.host, flow: packet.flow)
        guard stages[stage].routers[number].reportsExpiry else { return .lost }
        return report(packet, from: position, isIdeal) { .expired($0, hops: $1, after: $2) }
    }

    /// The router before a neighbour that does not answer.
    private func absent(_ packet: Packet, behind position: Int, _ isIdeal: Bool) -> Fate {
        report(packet, from: position, isIdeal, after: Self.neighbourTime) {
            .unreachable($0, isHost: true, hops: $1, after: $2 + Self.neighbourTime)
        }
    }

    private func report(
        _ packet: Packet,
        from position: Int,
        _ isIdeal: Bool,
        after delay: UInt64 = 0,
        _ fate: (IPAddress, Int, UInt64) -> Fate
    ) -> Fate {
        let stage = ways[hosts[packet.host].stage][position]
        let number = router(of: stage, packet.host, flow: packet.flow)
        if !isIdeal, stages[stage].routers[number].isRationed {
            // IPv4 and IPv6 have limits of their own.
            let limit = 4 * stage + 2 * number + (hosts[packet.host].address.family == .ipv4 ? 0 : 1)
            let second = (packet.time + delay) / 1_000_000_000
            guard rations[limit, default: []].insert(second).inserted else { return .lost }
        }
        if let next = stages[stage].wayBack ?? stages[stage].parent {
            guard comesBack(packet, through: next, isIdeal).isBack else { return .lost }
        }
        let address = address(of: stage, number, hosts[packet.host].address.family)
        return fate(address, position + 1, UInt64(position + 1) * 2 * Self.hopTime)
    }

    /// Whether a reply that first passes a stage comes to this machine.
    private func comesBack(_ packet: Packet, through first: Int, _ isIdeal: Bool) -> (isBack: Bool, fault: Int?) {
        if !isIdeal, isLost(packet, 2) { return (false, nil) }
        var place: Int? = first
        let subnet = hosts[packet.host].subnet
        while let stage = place {
            let router = router(of: stage, packet.host, flow: packet.flow)
            for kind in [SimulatedFault.Kind.deadLink, .drop, .wayBack] {
                if let fault = fault(kind, stage, router, subnet, at: packet.time) { return (false, fault) }
            }
            place = stages[stage].wayBack ?? stages[stage].parent
        }
        return (true, nil)
    }
}
