// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// What is broken in a ``SimulatedNetwork``, from when to when.
struct SimulatedFault {
    enum Kind: String, CaseIterable {
        /// A router drops what it should forward.
        case drop
        /// A router has no route and reports that.
        case noRoute
        /// A router cannot be reached.
        case deadLink
        /// A network of hosts cannot be reached.
        case deadSubnet
        /// A router sends packets back to the one before it.
        case loop
        /// A router drops replies.
        case wayBack
        case deadHost
        case silentService
        case refusedService

        /// Whether it is an element of the network that is broken.
        var isOfWay: Bool {
            switch self {
            case .drop, .noRoute, .deadLink, .deadSubnet, .loop, .wayBack: true
            case .deadHost, .silentService, .refusedService: false
            }
        }

        /// Whether the router before it may report that its neighbour does not answer.
        var mayBeReported: Bool { self == .deadLink || self == .deadSubnet || self == .deadHost }
    }

    let kind: Kind
    let stage: Int
    /// Which router of the stage; nil for all.
    var router: Int?
    /// The network that is concerned; nil for all.
    var subnet: Int?
    var host: Int?
    var service: Int?
    /// Whether the router before it reports that its neighbour does not answer.
    var isReported = false
    let begin: UInt64
    let end: UInt64

    func isActive(at time: UInt64) -> Bool { begin <= time && time < end }

    /// Whether it concerns a router and packets to a network.
    func concerns(_ stage: Int, _ router: Int, _ subnet: Int) -> Bool {
        self.stage == stage && self.router.map { $0 == router } ?? true && self.subnet.map { $0 == subnet } ?? true
    }
}

extension SimulatedNetwork {
    /// A fault of something that services depend on.
    func makeFault(from begin: UInt64, to end: UInt64, _ random: inout SimulatedRandom) -> SimulatedFault {
        let service = random.number(0...(services.count - 1))
        let hostNumber = services[service].host
        let host = hosts[hostNumber]
        let way = ways[host.stage]
        let position = random.number(0...(way.count - 1))
        let stage = way[position]
        let isHalf = stages[stage].routers.count > 1 && random.happens(0.4)
        let router = isHalf ? random.number(0...1) : nil
        let isReported = random.happens(0.5)
        func fault(_ kind: SimulatedFault.Kind, subnet: Int? = nil) -> SimulatedFault {
            SimulatedFault(
                kind: kind,
                stage: stage,
                router: router,
                subnet: subnet,
                isReported: isReported,
                begin: begin,
                end: end
            )
        }
        switch random.number(0...15) {
        case 0...2: return fault(.drop)
        case 3: return fault(.noRoute)
        case 4: return fault(.noRoute, subnet: host.subnet)
        case 5...6: return fault(.deadLink)
        case 7: return fault(.wayBack)
        case 8 where position > 0: return fault(.loop, subnet: random.happens(0.5) ? host.subnet : nil)
        case 9...10:
            var fault = SimulatedFault(
                kind: .deadSubnet,
                stage: host.stage,
                subnet: host.subnet,
                begin: begin,
                end: end
            )
            fault.isReported = isReported
            return fault
        case 11: return own(.silentService, service, begin, end)
        case 12: return own(.refusedService, service, begin, end)
        default:
            var fault = own(.deadHost, service, begin, end)
            fault.isReported = isReported
            return fault
        }
    }

    private func own(_ kind: SimulatedFault.Kind, _ service: Int, _ begin: UInt64, _ end: UInt64) -> SimulatedFault {
        let host = services[service].host
        var fault = SimulatedFault(kind: kind, stage: hosts[host].stage, begin: begin, end: end)
        fault.host = host
        fault.service = kind == .deadHost ? nil : service
        return fault
    }

    func fault(_ kind: SimulatedFault.Kind, _ stage: Int, _ router: Int, _ subnet: Int, at time: UInt64) -> Int? {
        faults.firstIndex { $0.kind == kind && $0.isActive(at: time) && $0.concerns(stage, router, subnet) }
    }

    func fault(_ kind: SimulatedFault.Kind, host: Int, service: Int? = nil, at time: UInt64) -> Int? {
        faults.firstIndex {
            $0.kind == kind && $0.isActive(at: time) && $0.host == host && ($0.service == nil || $0.service == service)
        }
    }

    /// What keeps the probes of a service from an answer.
    ///
    /// - Returns: nil for nothing; `isPartial`: it concerns some of the flows.
    func blocker(of service: Int, at time: UInt64) -> (fault: Int, isPartial: Bool)? {
        let found = (0..<8).map { flow in walk(Packet(self, service, flow: flow * 7_919, at: time), isIdeal: true).fault
        }
        guard let first = found.compactMap(\.self).first else { return nil }
        return (first, !found.allSatisfy { $0 == first })
    }

    /// The addresses by which a fault may be named to a target: the element, and its neighbours as far as they can be seen.
    func names(of fault: SimulatedFault, for host: Int) -> Set<IPAddress> {
        let way = ways[hosts[host].stage]
        var accepted: Set<IPAddress> = []
        var positions: [Int] = []
        if let position = way.firstIndex(of: fault.stage) {
            positions = [position]
            if fault.kind == .deadLink || fault.kind == .loop, position > 0 { positions.append(position - 1) }
        } else {
            // It is on the way back.
            positions = way.indices.filter { stages[way[$0]].wayBack != nil }
            accepted.formUnion(addresses(of: fault.stage))
        }
        for position in positions {
            accepted.formUnion(addresses(of: way[position]))
            for before in (0..<position).reversed() {
                accepted.formUnion(addresses(of: way[before]))
                if stages[way[before]].isVisible { break }
            }
            for next in way.indices.dropFirst(position + 1) {
                accepted.formUnion(addresses(of: way[next]))
                if stages[way[next]].isVisible { break }
            }
        }
        return accepted
    }

    private func addresses(of stage: Int) -> [IPAddress] {
        stages[stage].routers.flatMap { Array($0.addresses.values) }
    }

    /// Whether an observer can know that it is not the host itself: a router reports it, a trace ends before the last router that traces
    /// show, or another host of the same network, as far as traces tell networks apart, is concerned too.
    func isVisible(_ fault: SimulatedFault, for host: Int, concerned: Set<Int>) -> Bool {
        if fault.kind == .noRoute || fault.kind == .loop { return true }
        let way = ways[hosts[host].stage]
        let broken = way.firstIndex(of: fault.stage) ?? way.firstIndex { stages[$0].wayBack != nil } ?? 0
        // The gateway is asked itself.
        if fault.kind == .deadLink, broken == 0 { return true }
        let first = fault.kind == .deadLink || !way.contains(fault.stage) ? broken : broken + 1
        if fault.kind != .deadSubnet, way.dropFirst(first).contains(where: { stages[$0].isVisible }) { return true }
        let last = way.last { stages[$0].isVisible }
        return concerned.contains { other in
            other != host && subnets[hosts[other].subnet].prefix == subnets[hosts[host].subnet].prefix
                && ways[hosts[other].stage].last { stages[$0].isVisible } == last
        }
    }

    /// Whether a fault alone would keep the probes of a service from an answer.
    func blocks(_ fault: SimulatedFault, _ service: Int, at time: UInt64) -> Bool {
        let all = faults
        defer { faults = all }
        faults = [fault]
        return blocker(of: service, at: time) != nil
    }
}
