// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Foundation

/// A network of which everything is known: gateways, a tree of routers behind each, networks, hosts and services, and the faults that
/// they have at given times. It follows from a seed.
final class SimulatedNetwork {
    struct Router {
        let addresses: [AddressFamily: IPAddress]
        /// Whether it reports packets whose TTL is exhausted.
        let reportsExpiry: Bool
        /// Whether it sends one ICMP error a second at most.
        let isRationed: Bool
    }

    /// A place on the way: one router, or two of equal cost.
    struct Stage {
        let parent: Int?
        /// Its distance, from 1.
        let hop: Int
        let routers: [Router]
        /// Whether ports decide between two routers, and not only addresses.
        let balancesByPort: Bool
        /// Where replies from here and from behind go next, when that is not the place before.
        var wayBack: Int?

        /// Whether a trace always shows it.
        var isVisible: Bool { routers.allSatisfy(\.reportsExpiry) }
    }

    struct Subnet {
        let stage: Int
        let prefix: Int
        let family: AddressFamily
    }

    struct Host {
        let address: IPAddress
        let stage: Int
        let subnet: Int
        /// Whether its firewall drops echo requests.
        let dropsEcho: Bool
    }

    struct Service {
        let host: Int
        /// nil for echo requests.
        let port: UInt16?
    }

    /// What networks do without, to find out which of it a mistake takes: `SIMULATED_NETWORK_WITHOUT=pairs,rations,silence,loss,detours`.
    /// Two equal paths of which one is broken are not told from hosts that fail by turns (docs/diagnosis.md), so they are left out unless
    /// the variable is set, such as to nothing.
    private static let omitted = Set(
        (ProcessInfo.processInfo.environment["SIMULATED_NETWORK_WITHOUT"] ?? "pairs").split(separator: ",").map(
            String.init
        )
    )

    let seed: UInt64
    private(set) var stages: [Stage] = []
    private(set) var subnets: [Subnet] = []
    private(set) var hosts: [Host] = []
    private(set) var services: [Service] = []
    private(set) var gateways: [Int] = []
    /// The stages from the gateway to each stage.
    private(set) var ways: [[Int]] = []
    /// The share of packets that are lost at random, each way.
    let lossRate: Double
    var faults: [SimulatedFault] = []
    /// The seconds in which rationed routers sent an error.
    var rations: [Int: Set<UInt64>] = [:]
    private(set) var hostNumbers: [IPAddress: Int] = [:]
    /// How many probes and traces there were, for their ports.
    var flows: UInt64 = 0

    init(seed: UInt64, services count: Int, _ random: inout SimulatedRandom) {
        self.seed = seed
        lossRate = Self.has("loss", 0.25, &random) ? 0.01 : 0
        addStages(&random)
        addSubnets(&random)
        addServices(count, &random)
        if Self.has("detours", 0.15, &random) { addWayBack(&random) }
    }

    private static func has(_ trait: String, _ probability: Double, _ random: inout SimulatedRandom) -> Bool {
        random.happens(probability) && !omitted.contains(trait)
    }

    // MARK: Building

    private func addStages(_ random: inout SimulatedRandom) {
        gateways = random.happens(0.15) ? [0, 1] : [0]
        for number in gateways {
            add(
                Stage(
                    parent: nil,
                    hop: 1,
                    routers: [router(number, 0, gateway: number, &random)],
                    balancesByPort: false
                )
            )
        }
        let depth = random.number(1...6)
        var last = 0
        for _ in 1..<max(depth, 2) { last = addStage(behind: last, &random) }
        for _ in 0..<random.number(0...10) {
            let parent = random.number(0...(stages.count - 1))
            if stages[parent].hop < 6 { _ = addStage(behind: parent, &random) }
        }
        if gateways.count > 1, !stages.contains(where: { $0.parent == 1 }) { _ = addStage(behind: 1, &random) }
    }

    private func addStage(behind parent: Int, _ random: inout SimulatedRandom) -> Int {
        let number = stages.count
        let count = Self.has("pairs", 0.12, &random) ? 2 : 1
        let routers = (0..<count).map { router(number, $0, gateway: nil, &random) }
        let byPort = random.happens(0.5)
        add(Stage(parent: parent, hop: stages[parent].hop + 1, routers: routers, balancesByPort: byPort))
        return number
    }

    private func add(_ stage: Stage) {
        ways.append((stage.parent.map { ways[$0] } ?? []) + [stages.count])
        stages.append(stage)
    }

    private func router(_ stage: Int, _ twin: Int, gateway: Int?, _ random: inout SimulatedRandom) -> Router {
        let four = gateway.map { 0xC000_0201 + UInt32($0) } ?? 0x0AC8_0001 + UInt32(twin) << 16 + UInt32(stage) << 8
        let six = gateway.map { UInt64($0) + 1 } ?? 0x1000 + UInt64(stage) * 16 + UInt64(twin)
        return Router(
            addresses: [.ipv4: IPAddress(ipv4: four), .ipv6: IPAddress(ipv6High: 0x2001_0DB8_0000_0000, low: six)],
            reportsExpiry: gateway != nil || !Self.has("silence", 0.1, &random),
            isRationed: Self.has("rations", 0.25, &random)
        )
    }

    private func addSubnets(_ random: inout SimulatedRandom) {
        let parents = Set(stages.compactMap(\.parent))
        for stage in stages.indices {
            // A gateway's own networks are on the link of this machine.
            guard stages[stage].hop > 1, !parents.contains(stage) || random.happens(0.3) else { continue }
            for _ in 0..<random.number(1...3) {
                // Two routers may share the hosts of one prefix.
                let isShared = !subnets.isEmpty && random.happens(0.1)
                let family: AddressFamily = random.happens(0.15) ? .ipv6 : .ipv4
                let shared = isShared ? subnets.last { $0.family == family && $0.stage != stage } : nil
                subnets.append(Subnet(stage: stage, prefix: shared?.prefix ?? subnets.count, family: family))
            }
        }
    }

    private func addServices(_ count: Int, _ random: inout SimulatedRandom) {
        for _ in 0..<count {
            let isOld = !hosts.isEmpty && random.happens(0.25)
            let host = isOld ? random.number(0...(hosts.count - 1)) : addHost(&random)
            let ports = Set(services.filter { $0.host == host }.compactMap(\.port))
            let hasEcho = services.contains { $0.host == host && $0.port == nil }
            let isEcho = !hasEcho && !hosts[host].dropsEcho && random.happens(0.3)
            let port = (80...UInt16.max).first { !ports.contains($0) } ?? 80
            services.append(Service(host: host, port: isEcho ? nil : port))
        }
    }

    private func addHost(_ random: inout SimulatedRandom) -> Int {
        // Most are in few networks.
        let number = min(random.number(0...(subnets.count - 1)), random.number(0...(subnets.count - 1)))
        let subnet = subnets[number]
        let id = UInt32(hosts.count % 200 + 20)
        let wide = UInt64(subnet.prefix)
        let address =
            subnet.family == .ipv4
            ? IPAddress(ipv4: 0x0A00_0000 + UInt32(subnet.prefix) << 8 + id + UInt32(hosts.count / 200) << 16)
            : IPAddress(ipv6High: 0x2001_0DB8_0010_0000 + (wide / 2) << 16 + wide % 2, low: UInt64(hosts.count) + 32)
        hostNumbers[address] = hosts.count
        hosts.append(Host(address: address, stage: subnet.stage, subnet: number, dropsEcho: random.happens(0.2)))
        return hosts.count - 1
    }

    /// Has the replies from one place take another way than the requests.
    private func addWayBack(_ random: inout SimulatedRandom) {
        let candidates = stages.indices.filter { stages[$0].hop > 2 }
        guard let stage = candidates.randomElement(using: &random) else { return }
        let others = stages.indices.filter {
            stages[$0].hop > 1 && !ways[$0].contains(stage) && !ways[stage].contains($0)
                && ways[$0][0] == ways[stage][0]
        }
        stages[stage].wayBack = others.randomElement(using: &random)
    }

    // MARK: Reading

    /// The gateway of a service.
    func gateway(of service: Int) -> IPAddress {
        let host = hosts[services[service].host]
        return address(of: ways[host.stage][0], 0, host.address.family)
    }

    func address(of stage: Int, _ router: Int, _ family: AddressFamily) -> IPAddress {
        let routers = stages[stage].routers
        return routers[router % routers.count].addresses[family] ?? IPAddress(ipv4: 0)
    }

    /// Which router of a stage a flow passes.
    func router(of stage: Int, _ host: Int, flow: UInt64) -> Int {
        guard stages[stage].routers.count > 1 else { return 0 }
        let ports = stages[stage].balancesByPort ? flow : 0
        return SimulatedRandom.noise(seed, UInt64(stage), UInt64(host), ports) < 0.5 ? 0 : 1
    }
}
