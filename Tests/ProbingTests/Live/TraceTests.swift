// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Probing
import TestSupport
import Testing

/// Routes through six routers of the kernel's own, which limit their ICMP errors as they do by default.
@Suite(.serialized, .timeLimit(.minutes(15)), .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"))
struct TraceTests {
    enum Method: String, CaseIterable, Sendable {
        case tcp, udp, datagramICMP, rawICMP

        func request(_ family: AddressFamily, limit: Duration = .seconds(20)) -> TraceRequest {
            let method: TraceRequest.Method =
                switch self {
                case .tcp: .tcp(port: 80)
                case .udp: .udp(port: 33_434)
                case .datagramICMP, .rawICMP: .icmp
                }
            let destination = RouterChain.address(family, of: RouterChain.routers + 1)
            return TraceRequest(destination: destination, method: method, timeLimit: limit)
        }
    }

    private func with(_ method: Method, _ body: (RouterChain, TraceBench) async throws -> Void) async throws {
        try await RouterChain.with { chain, bench in
            if method == .datagramICMP { try chain.client.sysctl("net.ipv4.ping_group_range", "0 0") }
            try await body(chain, bench)
        }
    }

    /// The route of IPv4 or IPv6 to the server's network, for `ip route`.
    private func network(_ family: AddressFamily) -> String {
        family == .ipv4 ? "198.18.7.0/24" : "2001:db8:7::/64"
    }

    private func words(_ result: TraceResult) -> Comment { "\(result.end), \(result.hops)" }

    @Test("All hops in order, and the closed port's refusal", arguments: Method.allCases)
    func path(_ method: Method) async throws {
        try await with(method) { _, bench in
            for family in AddressFamily.allCases {
                let result = await bench.run(method.request(family))
                #expect(result.hops.map(\.addresses) == RouterChain.path(family).map { [$0] }, words(result))
                #expect(result.hops.map(\.number) == Array(1...7))
                #expect(result.hops.allSatisfy { $0.lost == 0 && $0.minimum ?? .zero > .zero }, words(result))
                let exceeded = TraceHop.ICMPCode(type: family == .ipv4 ? 11 : 3, code: 0)
                #expect(result.hops.prefix(6).allSatisfy { $0.icmp == exceeded })
                #expect(result.isOneFlow && result.loop.isEmpty && result.isAnswered)
                switch method {
                case .tcp:
                    #expect(result.end == .refused(nil))
                    #expect(result.packetsSent == 7)
                case .udp:
                    guard case .refused(let error) = result.end else { return #expect(Bool(false), words(result)) }
                    #expect(error?.message?.type == (family == .ipv4 ? 3 : 1))
                    #expect(error?.message?.code == (family == .ipv4 ? 3 : 4))
                case .datagramICMP, .rawICMP: #expect(result.end == .reached, words(result))
                }
            }
        }
    }

    @Test("A port that accepts connections is reached, again and again from one port")
    func listening() async throws {
        try await with(.tcp) { chain, bench in
            let listener = try chain.listen(on: 80)
            for family in AddressFamily.allCases {
                for _ in 0..<3 {
                    let result = await bench.run(Method.tcp.request(family))
                    #expect(result.end == .reached && result.hops.count == 7 && result.isOneFlow, words(result))
                }
            }
            withExtendedLifetime(listener) {}
        }
    }

    @Test(
        "A rule that drops at router 4: the trace ends there, silent",
        .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")"),
        arguments: Method.allCases
    )
    func dropped(_ method: Method) async throws {
        try await with(method) { chain, bench in
            try chain.filter("drop", on: 4)
            for family in AddressFamily.allCases {
                let result = await bench.run(method.request(family, limit: .milliseconds(800)))
                #expect(result.end == .silent, words(result))
                #expect(result.hops.map(\.addresses) == RouterChain.path(family, through: 4).map { [$0] })
                #expect(result.packetsSent <= (4 + 8) * 3, "no more than the gap")
                #expect(result.isOneFlow)
            }
        }
    }

    @Test("A blackhole route of router 4: the trace ends before it, silent", arguments: Method.allCases)
    func blackhole(_ method: Method) async throws {
        try await with(method) { chain, bench in
            for family in AddressFamily.allCases {
                try chain.nodes[4].ip("route add blackhole \(network(family))")
                let result = await bench.run(method.request(family, limit: .milliseconds(800)))
                #expect(result.end == .silent, words(result))
                #expect(result.hops.map(\.addresses) == RouterChain.path(family, through: 3).map { [$0] })
            }
        }
    }

    @Test(
        "A rule that rejects at router 4 is its error, prohibited",
        .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")"),
        arguments: Method.allCases
    )
    func rejected(_ method: Method) async throws {
        try await with(method) { chain, bench in
            try chain.filter("reject with icmpx admin-prohibited", on: 4)
            for family in AddressFamily.allCases {
                let result = await bench.run(method.request(family))
                guard case .error(let error) = result.end else { return #expect(Bool(false), words(result)) }
                #expect(error.reason == .prohibited && !result.isRefusedHere)
                #expect(error.message?.offender == RouterChain.address(family, of: 4) && error.message?.hops == 4)
                #expect(
                    result.hops.map(\.addresses) == RouterChain.path(family, through: 4).map { [$0] },
                    words(result)
                )
            }
        }
    }

    @Test("A missing route at router 4 is its error, network unreachable", arguments: Method.allCases)
    func missingRoute(_ method: Method) async throws {
        try await with(method) { chain, bench in
            try chain.nodes[4].ip("route del default")
            try chain.nodes[4].ip("-6 route del default")
            for family in AddressFamily.allCases {
                let result = await bench.run(method.request(family))
                guard case .error(let error) = result.end else { return #expect(Bool(false), words(result)) }
                #expect(error.reason == .networkUnreachable)
                #expect(error.message?.offender == RouterChain.address(family, of: 4) && error.message?.hops == 4)
                #expect(
                    result.hops.map(\.addresses) == RouterChain.path(family, through: 4).map { [$0] },
                    words(result)
                )
                #expect(result.hops.last?.icmp == TraceHop.ICMPCode(type: family == .ipv4 ? 3 : 1, code: 0))
            }
        }
    }

    @Test("A loop between routers 4 and 5", arguments: Method.allCases)
    func loop(_ method: Method) async throws {
        try await with(method) { chain, bench in
            for family in AddressFamily.allCases {
                let back = family == .ipv4 ? "198.18.5.1" : "2001:db8:5::1"
                try chain.nodes[5].ip("route add \(network(family)) via \(back)")
                let result = await bench.run(method.request(family))
                #expect(result.end == .silent, words(result))
                // With IPv4 Linux answers from the address towards the client, with IPv6 from that of the link on
                // which the packet arrived: router 4 then has another address on the second passage.
                let four = [4, 5].map { RouterChain.address(.ipv4, of: $0) }
                let six = [RouterChain.address(.ipv6, of: 5), try #require(IPAddress("2001:db8:5::1"))]
                #expect(result.loop == (family == .ipv4 ? four : six), words(result))
                #expect(result.hops.count < 12, "nothing more is sent once the loop is known: \(words(result))")
            }
        }
    }

    @Test("Routers that have used up their burst of ICMP errors are still named", arguments: Method.allCases)
    func rateLimit(_ method: Method) async throws {
        try await with(method) { _, bench in
            // The burst is six; a TCP trace needs one of a router, the others need three.
            for _ in 0..<(method == .tcp ? 7 : 3) {
                let result = await bench.run(method.request(.ipv4))
                // The refusals of the server are limited too; its hop is then missing, but not its routers.
                #expect(
                    result.hops.prefix(6).map(\.addresses) == RouterChain.path(.ipv4, through: 6).map { [$0] },
                    words(result)
                )
            }
        }
    }

    @Test("Faults of this machine: no route, a prohibit route, a source or interface that is missing")
    func faults() async throws {
        try await with(.tcp) { chain, bench in
            for method in [Method.tcp, .udp, .rawICMP] {
                func reason(_ request: TraceRequest) async -> ProbeReason? {
                    let result = await bench.run(request)
                    guard case .fault(let fault) = result.end else { return nil }
                    #expect(result.hops.isEmpty)
                    return fault.reason
                }
                var request = method.request(.ipv4)
                request.interface = "none0"
                #expect(await reason(request) == .interfaceNotFound)
                request.interface = "ahead"
                request.source = IPAddress("198.18.1.99")
                #expect(await reason(request) == .sourceUnavailable)
                request.source = IPAddress("2001:db8:1::1")
                #expect(await reason(request) == .invalidRequest)
                request = method.request(.ipv4)
                request.attempts = 0
                #expect(await reason(request) == .invalidRequest)
                request.attempts = 1
                try chain.client.ip("route add prohibit 198.18.7.0/24")
                #expect(await reason(request) == .prohibited)
                try chain.client.ip("route replace blackhole 198.18.7.0/24")
                #expect(await reason(request) == .blackhole)
                try chain.client.ip("route del 198.18.7.0/24")
                request.source = IPAddress("198.18.1.1")
                request.interface = "ahead"
                let result = await bench.run(request)
                #expect(result.hops.map(\.addresses) == RouterChain.path(.ipv4).map { [$0] }, words(result))
            }
            try chain.client.ip("route del default")
            let result = await bench.run(Method.udp.request(.ipv4))
            guard case .fault(let fault) = result.end else { return #expect(Bool(false), words(result)) }
            #expect(fault.reason == .networkUnreachable)
        }
    }

    @Test(
        "This machine's own firewall is told from a router",
        .enabled(if: Testbed.firewallObstacle == nil, "\(Testbed.firewallObstacle ?? "")"),
        arguments: [Method.tcp, .udp, .rawICMP]
    )
    func ownFirewall(_ method: Method) async throws {
        try await with(method) { chain, bench in
            try chain.client.exec("nft add table inet own")
            try chain.client.exec("nft add chain inet own output { type filter hook output priority 0 ; }")
            try chain.client.exec("nft add rule inet own output ip daddr 198.18.7.2 reject with icmpx admin-prohibited")
            let result = await bench.run(method.request(.ipv4))
            #expect(result.isRefusedHere && !result.isAnswered && result.hops.isEmpty, words(result))
        }
    }

    @Test("Two equal paths: each trace is of one of them, many see both", arguments: [Method.tcp, .udp])
    func equalPaths(_ method: Method) async throws {
        try await with(method) { chain, bench in
            for node in chain.nodes {
                try node.sysctl("net.ipv4.icmp_ratemask", "0")
                try node.sysctl("net.ipv6.icmp.ratelimit", "0")
            }
            let twin = try chain.split()
            defer { twin.remove() }
            try twin.sysctl("net.ipv4.icmp_ratemask", "0")
            try twin.sysctl("net.ipv6.icmp.ratelimit", "0")
            for family in AddressFamily.allCases {
                let one = RouterChain.path(family)
                // Routers 5 and later answer with the address towards this machine on whichever path.
                var other = one
                other[3] = RouterChain.address(family, of: 8)
                if family == .ipv6 { other[4] = RouterChain.address(family, of: 9) }
                var seen: Set<[IPAddress]> = []
                // Each trace takes another source port: the chance that 24 agree is 1 in 8 million.
                for _ in 0..<24 where seen.count < 2 {
                    let result = await bench.run(method.request(family))
                    #expect(result.isOneFlow && result.isAnswered && result.loop.isEmpty, words(result))
                    #expect(result.hops.allSatisfy { $0.addresses.count == 1 && $0.lost == 0 }, words(result))
                    let path = result.hops.compactMap(\.addresses.first)
                    #expect(path == one || path == other, words(result))
                    seen.insert(path)
                }
                #expect(seen == [one, other])
            }
        }
    }

    @Test("Cancelled and closed: every completion is called once, in a later turn", arguments: Method.allCases)
    func cancelled(_ method: Method) async throws {
        try await with(method) { chain, bench in
            try chain.nodes[1].ip("route add blackhole 198.18.7.0/24")
            // More than the descriptors allow at a time.
            let first = bench.begin(method.request(.ipv4), count: 70)
            bench.cancelAll()
            let whole = Count()
            try await first.next { _ in whole.add(1) == 70 }
            #expect(bench.tracesInFlight == 0)
            let second = bench.begin(method.request(.ipv4), count: 70)
            #expect(bench.tracesInFlight == 70)
            bench.close()
            for results in [first, second] {
                #expect(results.count == 70)
                let isCancelled = results.events.allSatisfy {
                    guard case .fault(let fault) = $0.end else { return false }
                    return fault.reason == .cancelled
                }
                #expect(isCancelled)
            }
        }
    }

    @Test("A hundred traces at once share 64 descriptors", arguments: Method.allCases)
    func many(_ method: Method) async throws {
        try await with(method) { chain, bench in
            for node in chain.nodes { try node.sysctl("net.ipv4.icmp_ratemask", "0") }
            let results = bench.begin(method.request(.ipv4), count: 100)
            let whole = Count()
            try await results.next { _ in whole.add(1) == 100 }
            #expect(results.events.allSatisfy { $0.hops.map(\.addresses) == RouterChain.path(.ipv4).map { [$0] } })
            #expect(bench.tracesInFlight == 0)
        }
    }
}
