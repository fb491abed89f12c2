// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Probing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15)), .enabled(if: Testbed.isAvailable, "\(Testbed.requirement)"))
struct ICMPProbeTests {
    func request(_ host: String, _ settings: ICMPProbeSettings = ICMPProbeSettings()) -> ProbeRequest {
        ProbeRequest(
            host: IPAddress(host).map(ProbeHost.address) ?? .name(host),
            kind: .icmp(settings),
            timeout: .seconds(20)
        )
    }

    /// A namespace with loopback, and an uplink behind which 192.0.2.9 takes everything and says nothing.
    func withBench(
        datagram: Bool = false,
        _ body: (Testbed, ProbeBench) async throws -> Void
    ) async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            try testbed.i("neigh add 192.0.2.9 lladdr 02:00:00:00:00:09 dev eth0")
            if datagram { try testbed.namespace.sysctl("net.ipv4.ping_group_range", "0 0") }
            let bench = try ProbeBench(prologue: testbed.namespace.prologue)
            try await body(testbed, bench)
            bench.close()
        }
    }

    @Test("Replies, on a raw and on a datagram socket", arguments: [false, true], ["127.0.0.1", "::1"])
    func replies(datagram: Bool, host: String) async throws {
        try await withBench(datagram: datagram) { _, bench in
            let settings = ICMPProbeSettings(count: 5, spacing: .milliseconds(1), timeToLive: 3, dontFragment: true)
            let result = await bench.run(request(host, settings))
            #expect(result.outcome == .success, "\(result.detail)")
            let statistics = try #require(result.icmp)
            #expect(statistics.sent == 5 && statistics.received == 5 && statistics.loss == 0)
            #expect(statistics.minimum ?? .zero > .zero)
            #expect(statistics.minimum ?? .zero <= statistics.average ?? .zero)
            #expect(statistics.average ?? .zero <= statistics.maximum ?? .zero)
            #expect(statistics.jitter != nil)
            // The reply's own, and not that of the requests.
            #expect(statistics.hopLimit == 64)
        }
    }

    @Test("The hop limit of the reply is the one that the replying machine sets", arguments: [false, true])
    func hopLimit(datagram: Bool) async throws {
        try await withBench(datagram: datagram) { testbed, bench in
            try testbed.namespace.sysctl("net.ipv4.ip_default_ttl", "200")
            try testbed.namespace.sysctl("net.ipv6.conf.all.hop_limit", "201")
            try testbed.namespace.sysctl("net.ipv6.conf.lo.hop_limit", "201")
            #expect(await bench.run(request("127.0.0.1")).icmp?.hopLimit == 200)
            #expect(await bench.run(request("::1")).icmp?.hopLimit == 201)
        }
    }

    @Test("Sizes from nothing to more than a packet", arguments: [false, true], [0, 3, 8, 56, 9_000, 60_000])
    func sizes(datagram: Bool, size: Int) async throws {
        try await withBench(datagram: datagram) { _, bench in
            let result = await bench.run(request("127.0.0.1", ICMPProbeSettings(size: size)))
            #expect(result.outcome == .success, "\(result.detail)")
        }
    }

    @Test("A thousand targets at once on one socket", arguments: [false, true]) func many(datagram: Bool) async throws {
        try await withBench(datagram: datagram) { _, bench in
            let results = Recorder<ProbeResult>()
            let template = request("127.0.0.1", ICMPProbeSettings(count: 3, spacing: .milliseconds(2)))
            bench.onLoop { runner in
                for number in 0..<1_000 {
                    var request = template
                    request.host = .address(IPAddress(ipv4: 0x7F00_0001 + UInt32(number)))
                    runner.start(request) { results.record($0) }
                }
            }
            let whole = Count()
            try await results.next { _ in whole.add(1) == 1_000 }
            #expect(results.events.allSatisfy { $0.outcome == .success && $0.icmp?.received == 3 })
        }
    }

    @Test("message_too_big, from this machine", arguments: [false, true]) func tooBig(datagram: Bool) async throws {
        try await withBench(datagram: datagram) { _, bench in
            let settings = ICMPProbeSettings(size: 3_000, dontFragment: true)
            #expect(await bench.run(request("192.0.2.9", settings)).reason == .messageTooBig)
            // The one socket is as before for the next.
            #expect(await bench.run(request("127.0.0.1")).outcome == .success)
        }
    }

    @Test("network_unreachable and blackhole, from this machine's routes") func routes() async throws {
        try await withBench { testbed, bench in
            try testbed.i("route del default")
            #expect(await bench.run(request("198.51.100.1")).reason == .networkUnreachable)
            try testbed.i("route add blackhole 198.51.100.0/24")
            #expect(await bench.run(request("198.51.100.1")).reason == .blackhole)
            try testbed.i("route add prohibit 203.0.113.0/24")
            #expect(await bench.run(request("203.0.113.1")).reason == .prohibited)
        }
    }

    @Test("ttl_exceeded and host_unreachable, from a router", arguments: [false, true])
    func fromRouter(datagram: Bool) async throws {
        try await Testbed.with { testbed in
            try testbed.base()
            try testbed.p("addr add 192.0.2.1/24 dev p0;link set lo up;route add unreachable 203.0.113.0/24")
            try testbed.p(
                "link add d0 type veth peer name d1;link set d0 up;link set d1 up;route add 198.51.100.0/24 dev d0"
            )
            try testbed.peer.sysctl("net.ipv4.ip_forward", "1")
            // No kind of message is limited. (A limit of 0 would empty the account from which other errors are paid.)
            try testbed.peer.sysctl("net.ipv4.icmp_ratemask", "0")
            if datagram { try testbed.namespace.sysctl("net.ipv4.ping_group_range", "0 0") }
            let bench = try ProbeBench(prologue: testbed.namespace.prologue)
            let first = await bench.run(request("198.51.100.7", ICMPProbeSettings(timeToLive: 1)))
            #expect(first.reason == .ttlExceeded, "\(first.detail)")
            let second = await bench.run(request("203.0.113.7"))
            #expect(second.reason == .hostUnreachable, "\(second.detail)")
            #expect(await bench.run(request("192.0.2.1")).outcome == .success)
            // The kernel tells an error about one target to whoever uses the socket next: it must not fail another's.
            let bad = request("198.51.100.7", ICMPProbeSettings(timeToLive: 1))
            let good = request("192.0.2.1")
            let results = Recorder<ProbeResult>()
            bench.onLoop { runner in
                for _ in 0..<20 {
                    runner.start(bad) { results.record($0) }
                    runner.start(good) { results.record($0) }
                }
            }
            let whole = Count()
            try await results.next { _ in whole.add(1) == 40 }
            #expect(results.events.count { $0.outcome == .success } == 20)
            #expect(results.events.count { $0.reason == .ttlExceeded } == 20)
            #expect(
                results.events.filter { $0.outcome == .success }.allSatisfy { $0.address == IPAddress("192.0.2.1") }
            )
            bench.close()
        }
    }

    @Test("Source, interface and mark", arguments: [false, true]) func origin(datagram: Bool) async throws {
        try await withBench(datagram: datagram) { testbed, bench in
            var request = request("127.0.0.1")
            request.source = IPAddress("127.0.0.5")
            request.interface = "lo"
            request.mark = 7
            #expect(await bench.run(request).outcome == .success)
            request.interface = "none0"
            #expect(await bench.run(request).reason == .interfaceNotFound)
            request.interface = nil
            // Packets with the mark have no route: the mark is on them, and only on them.
            try testbed.i("rule add fwmark 7 priority 10 prohibit")
            var marked = self.request("192.0.2.9")
            marked.timeout = .milliseconds(100)
            #expect(await bench.run(marked).reason == .timeout)
            marked.mark = 7
            #expect(await bench.run(marked).reason == .prohibited)
            request.source = IPAddress("::1")
            #expect(await bench.run(request).reason == .nameWithoutAddress)
        }
    }

    @Test("Loss: degraded, failure, and all of it a timeout") func loss() async throws {
        try await withBench { _, bench in
            #expect(ICMPProbeSettings().failedLoss == 1)
            var silent = request("192.0.2.9", ICMPProbeSettings(count: 2, spacing: .milliseconds(1)))
            silent.timeout = .milliseconds(200)
            let result = await bench.run(silent)
            #expect(result.reason == .timeout)
            #expect(result.icmp?.sent == 2 && result.icmp?.received == 0 && result.icmp?.hopLimit == nil)
            silent.expectsFailure = true
            #expect(await bench.run(silent).outcome == .success)
        }
    }

    @Test("packet_loss: one reply, then the network goes") func halfLost() async throws {
        try await Testbed.with { testbed in
            try testbed.i("link set lo up")
            let clock = ManualClock()
            let bench = try ProbeBench(clock: clock, prologue: testbed.namespace.prologue)
            for (failedLoss, outcome) in [(1.0, ProbeOutcome.degraded), (0.4, .failure)] {
                let settings = ICMPProbeSettings(count: 2, spacing: .seconds(1), failedLoss: failedLoss)
                let results = bench.begin(request("127.0.0.1", settings))
                // The reply is there when the request is sent; the loop reads it before it does anything further.
                for _ in 0..<3 { bench.onLoop { _ in } }
                try testbed.i("link set lo down")
                // The second request goes out and nowhere; then the time is over.
                bench.onLoop { _ in clock.advance(by: 1_000_000_000) }
                for _ in 0..<3 { bench.onLoop { _ in } }
                bench.onLoop { _ in clock.advance(by: 19_000_000_000) }
                let result = try await results.next()
                #expect(result.outcome == outcome && result.reason == .packetLoss, "\(result.detail)")
                #expect(result.icmp?.loss == 0.5)
                try testbed.i("link set lo up")
            }
            bench.close()
        }
    }

    @Test("invalid_request") func invalid() async throws {
        let bench = try ProbeBench()
        for settings in [ICMPProbeSettings(count: 0), ICMPProbeSettings(size: -1), ICMPProbeSettings(timeToLive: 0)] {
            #expect(await bench.run(request("127.0.0.1", settings)).reason == .invalidRequest)
        }
    }
}
