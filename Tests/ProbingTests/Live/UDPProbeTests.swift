// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct UDPProbeTests {
    func request(_ port: UInt16, _ reply: UDPProbeSettings.Reply = .any, host: String = "127.0.0.1") -> ProbeRequest {
        ProbeRequest(
            host: IPAddress(host).map(ProbeHost.address) ?? .name(host),
            kind: .udp(UDPProbeSettings(port: port, payload: Array("ping".utf8), reply: reply)),
            timeout: .seconds(20)
        )
    }

    @Test("A reply", arguments: [false, true]) func reply(isIPv6: Bool) async throws {
        let peer = try TestPeer(SOCK_DGRAM, isIPv6: isIPv6, .answers { $0 + Array("-pong".utf8) })
        let bench = try ProbeBench()
        let host = isIPv6 ? "::1" : "127.0.0.1"
        let expected = UDPProbeSettings.Reply.matching(try ProbePattern("^ping-pong$"))
        let result = await bench.run(request(peer.port, expected, host: host))
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.phases[.request] != nil)
    }

    @Test("unexpected_response") func mismatch() async throws {
        let peer = try TestPeer(SOCK_DGRAM, .says([0, 1]))
        let bench = try ProbeBench()
        let result = await bench.run(request(peer.port, .matching(try ProbePattern("pong"))))
        #expect(result.reason == .unexpectedResponse)
    }

    @Test("connect_refused: ICMP port unreachable", arguments: ["127.0.0.78", "::1"])
    func refused(host: String) async throws {
        // A stream listener keeps the number from other tests; no datagram socket is bound there.
        let bound =
            host == "::1"
            ? try TestPeer(SOCK_STREAM, isIPv6: true, .silent) : try TestPeer(SOCK_STREAM, host: 78, .silent)
        let bench = try ProbeBench()
        #expect(await bench.run(request(bound.port, host: host)).reason == .connectRefused)
        #expect(await bench.run(request(bound.port, .notExpected(), host: host)).reason == .connectRefused)
    }

    @Test("No reply expected: the patience is the loop's") func silence() async throws {
        let clock = ManualClock()
        let peer = try TestPeer(SOCK_DGRAM, .silent)
        let bench = try ProbeBench(clock: clock)
        let results = bench.begin(request(peer.port, .notExpected(patience: .seconds(2))))
        bench.onLoop { _ in clock.advance(by: 1_999_999_999) }
        bench.onLoop { _ in #expect(results.count == 0) }
        bench.onLoop { _ in clock.advance(by: 1) }
        #expect(try await results.next().outcome == .success)
    }

    @Test("An empty payload and an empty reply") func empty() async throws {
        let peer = try TestPeer(SOCK_DGRAM, .says([]))
        let bench = try ProbeBench()
        var request = request(peer.port)
        request.kind = .udp(UDPProbeSettings(port: peer.port, payload: []))
        #expect(await bench.run(request).outcome == .success)
    }
}
