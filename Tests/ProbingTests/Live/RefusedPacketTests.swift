// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import TestSupport
import Testing

@testable import Probing

/// What routers on the way and this machine's own firewall say, to every kind of probe and in both families.
@Suite(.timeLimit(.minutes(15)), .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"))
struct RefusedPacketTests {
    enum Kind: String, CaseIterable, Sendable {
        case tcp, tls, http, grpc, udp, dns, icmp

        func probe(of address: IPAddress) throws -> ProbeKind {
            switch self {
            case .tcp: .tcp(TCPProbeSettings(port: 80))
            case .tls: .tls(TLSProbeSettings(port: 443))
            case .http: .http(HTTPProbeSettings(url: try HTTPURL("http://\(HTTPURL.bracketed("\(address)"))/")))
            case .grpc: .grpc(GRPCProbeSettings(port: 80))
            case .udp: .udp(UDPProbeSettings(port: 9, payload: [1]))
            case .dns: .dns(DNSProbeSettings(name: "example.org", type: .a))
            case .icmp: .icmp(ICMPProbeSettings())
            }
        }
    }

    private func request(
        _ host: String,
        _ kind: Kind,
        timeout: Duration = .seconds(20)
    ) throws -> ProbeRequest {
        let address = try #require(IPAddress(host))
        return ProbeRequest(host: .address(address), kind: try kind.probe(of: address), timeout: timeout)
    }

    /// A machine behind a router, the far end, that refuses 203.0.113.1 and 2001:db8:9::1 in the way of a type of routes.
    private func withRouter(_ route: String?, _ body: (Testbed, ProbeBench) async throws -> Void) async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            try testbed.p("link set lo up;addr add 192.0.2.1/24 dev p0;addr add 2001:db8:1::1/64 dev p0 nodad")
            try testbed.peer.sysctl("net.ipv4.ip_forward", "1")
            try testbed.peer.sysctl("net.ipv6.conf.all.forwarding", "1")
            for namespace in [testbed.namespace, testbed.peer] {
                // No kind of message is limited.
                try namespace.sysctl("net.ipv4.icmp_ratemask", "0")
                try namespace.sysctl("net.ipv6.icmp.ratelimit", "0")
            }
            if let route {
                try testbed.p("route add \(route) 203.0.113.0/24;-6 route add \(route) 2001:db8:9::/64")
            }
            let bench = try ProbeBench(prologue: testbed.namespace.prologue)
            try await body(testbed, bench)
            bench.close()
        }
    }

    @Test("prohibited: ICMP 3/13 and ICMPv6 1/1 of a router, for every kind", arguments: Kind.allCases)
    func prohibited(_ kind: Kind) async throws {
        try await withRouter("prohibit") { _, bench in
            for host in ["203.0.113.1", "2001:db8:9::1"] {
                let result = await bench.run(try request(host, kind))
                #expect(result.reason == .prohibited, "\(host): \(result.reason?.rawValue ?? "") \(result.detail)")
                #expect(!result.isRefusedHere, "\(host): it is the router's word")
            }
        }
    }

    @Test("Other ICMP errors of a router keep their reasons, for every kind", arguments: Kind.allCases)
    func unreachable(_ kind: Kind) async throws {
        try await withRouter("unreachable") { _, bench in
            for host in ["203.0.113.1", "2001:db8:9::1"] {
                let result = await bench.run(try request(host, kind))
                let isFour = host.contains(".")
                // Linux sends "no route" for an unreachable route of IPv6.
                #expect(result.reason == (isFour ? .hostUnreachable : .networkUnreachable), "\(host): \(result.detail)")
                #expect(!result.isRefusedHere)
            }
        }
    }

    @Test("A router that swallows packets is a timeout, for every kind", arguments: Kind.allCases)
    func blackhole(_ kind: Kind) async throws {
        try await withRouter("blackhole") { _, bench in
            for host in ["203.0.113.1", "2001:db8:9::1"] {
                let result = await bench.run(try request(host, kind, timeout: .milliseconds(200)))
                #expect(result.reason == .timeout, "\(host): \(result.detail)")
            }
        }
    }

    /// The ways to reject, of nft(8); a reset in the target's name and a silent drop of connections look like the target.
    static let rejections = [
        "reject with icmpx port-unreachable", "reject with icmpx admin-prohibited", "reject with icmpx no-route",
    ]

    @Test(
        "This machine's firewall is distinguished from the target, for every kind",
        .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")"),
        arguments: Kind.allCases,
        RefusedPacketTests.rejections
    )
    func ownFirewall(_ kind: Kind, _ rejection: String) async throws {
        try await withRouter(nil) { testbed, bench in
            // Neighbours are looked for by ICMPv6.
            let matches =
                kind == .icmp
                ? ["icmp type echo-request", "icmpv6 type echo-request"] : ["meta l4proto { tcp, udp }"]
            for match in matches { try testbed.reject("\(match) \(rejection)") }
            for host in ["192.0.2.1", "2001:db8:1::1"] {
                let result = await bench.run(try request(host, kind))
                #expect(result.reason == .prohibited, "\(host): \(result.reason?.rawValue ?? "") \(result.detail)")
                #expect(result.isRefusedHere, "\(host): \(result.detail)")
                var negative = try request(host, kind)
                negative.expectsFailure = true
                #expect(await bench.run(negative).outcome == .failure, "nothing was asked")
            }
        }
    }

    @Test(
        "EPERM at send: a rule that drops datagrams is this machine's",
        .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")"),
        arguments: [Kind.udp, .dns, .icmp]
    )
    func dropped(_ kind: Kind) async throws {
        try await withRouter(nil) { testbed, bench in
            let match = kind == .icmp ? "icmp type echo-request" : "ip protocol udp"
            try testbed.reject("\(match) drop")
            let result = await bench.run(try request("192.0.2.1", kind))
            #expect(result.reason == .prohibited && result.isRefusedHere, "\(result.detail)")
        }
    }

    @Test("The target's own refusal stays the target's", arguments: [Kind.tcp, .http, .udp, .dns])
    func closedPort(_ kind: Kind) async throws {
        try await withRouter(nil) { _, bench in
            // Of another machine, and of this one, where the sender of the error is the own address.
            for host in ["192.0.2.1", "2001:db8:1::1", "192.0.2.2", "2001:db8:1::2", "127.0.0.1"] {
                let result = await bench.run(try request(host, kind))
                #expect(result.reason == .connectRefused, "\(host): \(result.reason?.rawValue ?? "") \(result.detail)")
                #expect(!result.isRefusedHere, "\(host): \(result.detail)")
            }
        }
    }

    @Test("A neighbour that does not answer is not a firewall: host_unreachable", arguments: [Kind.tcp, .udp, .icmp])
    func absentNeighbour(_ kind: Kind) async throws {
        try await withRouter(nil) { testbed, bench in
            let result = await bench.run(try request("192.0.2.77", kind))
            #expect(result.reason == .hostUnreachable, "\(result.detail)")
            #expect(!result.isRefusedHere, "the kernel reports it from the own address too")
        }
    }
}
