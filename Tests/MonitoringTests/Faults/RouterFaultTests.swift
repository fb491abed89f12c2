// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import NetworkPaths
import Probing
import TestSupport
import Testing

@testable import Monitoring

/// Six routers in a row: the verdict names the one that reports the fault, although it reports only some of the probes: the
/// kernel limits the errors of `prohibit` and `unreachable` routes to one a second for each sender.
@Suite(.timeLimit(.minutes(15)), .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"))
struct RouterFaultTests {
    private static let count = 6

    /// Targets behind six routers: of some kinds, or all, and of each family.
    private static func with(
        only chosen: Set<String>? = nil,
        _ body: (FaultScene, RouterChain) async throws -> Void
    ) async throws {
        let kinds: [(String, ProbeKind)] = [
            ("icmp", .icmp(ICMPProbeSettings())), ("tcp", .tcp(TCPProbeSettings(port: 80))),
            ("udp", .udp(UDPProbeSettings(port: 9, payload: [1]))),
            ("dns", .dns(DNSProbeSettings(name: "example.org", type: .a))),
            ("grpc", .grpc(GRPCProbeSettings(port: 80))),
        ]
        var targets: [TargetSettings] = []
        for (family, text) in [("4", "10.0.\(count + 1).2"), ("6", "2001:db8:\(count + 1)::2")] {
            let address = try #require(IPAddress(text))
            for (name, kind) in kinds where chosen?.contains(name) ?? true {
                targets.append(try .asked(name + family, .address(address), kind, timeout: .seconds(2)))
            }
        }
        var chain: RouterChain?
        defer { chain?.remove() }
        try await FaultScene.with(
            targets,
            setUp: { testbed in
                try testbed.p("addr del 192.0.2.1/24 dev p0;route del local 198.51.100.0/24 dev lo")
                chain = try RouterChain(count, behind: testbed)
            }
        ) { scene in
            try await body(scene, try #require(chain))
        }
    }

    /// Waits until the verdicts of targets name a router, and checks them.
    private static func expect(
        _ scene: FaultScene,
        _ chain: RouterChain,
        router number: Int,
        _ reason: ProbeReason,
        _ reason6: ProbeReason? = nil,
        of ids: [String]
    ) async throws {
        for (id, isFour) in ids.flatMap({ [($0 + "4", true), ($0 + "6", false)] }) {
            let address = (isFour ? chain.addresses4 : chain.addresses6)[number - 1]
            let record = try await scene.settle(id, offender: address, isFour ? reason : reason6 ?? reason)
            let found = try #require(record.reason)
            #expect(record.state == .unreachable)
            #expect(found.cause == (number == 1 ? .localNetwork : .path))
            #expect(record.evaluation?.diagnosis?.rule == (number == 1 ? .gatewayRejects : .routerRejects))
            #expect(found.offender?.role == (number == 1 ? .gateway : .router))
            #expect(found.offender?.message.hops == number)
            #expect(found.detail.contains(address))
        }
    }

    @Test(
        "A firewall on the path rejects: path, or local_network at the gateway, and its address for each kind of probe",
        .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")")
    )
    func firewalls() async throws {
        try await Self.with { scene, chain in
            try await scene.learnRoutes(to: ["icmp4", "icmp6"])
            let kinds = ["icmp", "tcp", "udp", "dns", "grpc"]
            let rows: [(String, ProbeReason, [Int])] = [
                ("admin-prohibited", .prohibited, Array(1...Self.count)), ("no-route", .networkUnreachable, [1, 4]),
                ("host-unreachable", .hostUnreachable, [1, 4]), ("port-unreachable", .connectRefused, [1, 4]),
            ]
            for (name, reason, routers) in rows {
                for number in routers {
                    try chain.reject(number, name)
                    try await Self.expect(scene, chain, router: number, reason, of: kinds)
                    try chain.accept(number)
                    for id in ["icmp4", "icmp6"] { try await scene.settle(id, .up) }
                }
            }
        }
    }

    @Test("A router has no route, or one that rejects, and reports only some of the probes")
    func routes() async throws {
        try await Self.with(only: ["icmp"]) { scene, chain in
            try await scene.learnRoutes(to: ["icmp4", "icmp6"])
            let rows: [(String, ProbeReason, ProbeReason)] = [
                ("prohibit", .prohibited, .prohibited),
                // Of ICMPv6 the kernel sends "no route" for both.
                ("unreachable", .hostUnreachable, .networkUnreachable), ("", .networkUnreachable, .networkUnreachable),
            ]
            for (route, reason, reason6) in rows {
                for number in [1, 3, Self.count] {
                    try chain.route(number, route, route)
                    if number == Self.count, reason == .hostUnreachable {
                        // So does the last router report that the host is off.
                        let record = try #require(try await scene.settle("icmp4", .down))
                        #expect(record.evaluation?.diagnosis?.rule == .hostAbsent)
                        #expect(record.reason?.detail == "\(chain.addresses4[number - 1]) finds no host at 10.0.7.2")
                    } else {
                        try await Self.expect(scene, chain, router: number, reason, reason6, of: ["icmp"])
                    }
                    try chain.restore(number)
                    for id in ["icmp4", "icmp6"] { try await scene.settle(id, .up) }
                }
            }
        }
    }

    @Test("A router drops silently: path, and the trace names the last router that answers and the one behind it")
    func dropped() async throws {
        try await Self.with(only: ["icmp"]) { scene, chain in
            let ids = ["icmp4", "icmp6"]
            try await scene.learnRoutes(to: ids)
            try chain.route(4, "blackhole", "blackhole")
            for (id, last, next) in [
                (ids[0], chain.addresses4[2], chain.addresses4[3]), (ids[1], chain.addresses6[2], chain.addresses6[3]),
            ] {
                let record = try await scene.settle(id, .unreachable)
                #expect(record?.reason?.cause == .path)
                #expect(record?.evaluation?.diagnosis?.rule == .pathBroken)
                let words = "stops behind \(last) (hop 3), which led on to \(next)"
                #expect(record?.reason?.detail.contains(words) == true, "\(record?.reason?.detail ?? "")")
            }
        }
    }

    @Test("A loop of two routers: path, ttl_exceeded, and a router of the loop")
    func loop() async throws {
        try await Self.with(only: ["icmp", "tcp", "udp"]) { scene, chain in
            try chain.route(4, "via 10.0.4.1", "via 2001:db8:4::1")
            for id in ["icmp4", "icmp6", "tcp4", "tcp6", "udp4", "udp6"] {
                let record = try await scene.settle(id, .unreachable)
                #expect(record?.reason?.code == .probe(.ttlExceeded))
                #expect(record?.reason?.cause == .path)
                let loop = ["10.0.3.2", "10.0.4.2", "2001:db8:3::2", "2001:db8:4::2"]
                // A router reports it, or the trace of a probe that no report reached finds it.
                let offender = record?.reason?.offender?.address?.description
                let isTraced = record?.reason?.detail.contains("the packets circulate between") == true
                #expect(isTraced || loop.contains(offender ?? ""), "\(record?.reason?.detail ?? "")")
            }
        }
    }
}

extension FaultScene {
    /// Waits until targets are up and their paths were traced.
    fileprivate func learnRoutes(to ids: [String]) async throws {
        for id in ids {
            try await settle(id, .up)
            while probes.traces(of: id)?.good == nil { await Task.yield() }
        }
    }

    /// Waits until a target's reason names an offender.
    fileprivate func settle(_ id: String, offender: String, _ reason: ProbeReason) async throws -> StatusRecord {
        @Sendable func isNamed(_ record: StatusRecord?) -> Bool {
            record?.reason?.offender?.address == IPAddress(offender) && record?.reason?.code == .probe(reason)
        }
        if !isNamed(registry.target(id)) {
            try await transitions.next { [registry] _ in isNamed(registry.target(id)) }
        }
        return try #require(registry.target(id))
    }
}
