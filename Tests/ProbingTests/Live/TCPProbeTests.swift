// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct TCPProbeTests {
    static let loopback = IPAddress(ipv4: 0x7F00_0001)
    static let loopback6 = IPAddress(ipv6High: 0, low: 1)

    func request(_ port: UInt16, _ dialogue: [DialogueStep] = [], isIPv6: Bool = false) -> ProbeRequest {
        ProbeRequest(
            host: .address(isIPv6 ? Self.loopback6 : Self.loopback),
            kind: .tcp(TCPProbeSettings(port: port, dialogue: dialogue)),
            timeout: .seconds(20)
        )
    }

    @Test("A connection is enough", arguments: [false, true]) func connects(isIPv6: Bool) async throws {
        let peer = try TestPeer(SOCK_STREAM, isIPv6: isIPv6, .silent)
        let bench = try ProbeBench()
        let result = await bench.run(request(peer.port, isIPv6: isIPv6))
        #expect(result.outcome == .success)
        #expect(result.reason == nil)
        #expect(result.address == (isIPv6 ? Self.loopback6 : Self.loopback))
        #expect(result.phases[.connect] != nil)
        #expect(result.phases[.request] == nil)
        #expect(result.addresses.count == 1)
    }

    @Test("connect_refused") func refused() async throws {
        // A datagram socket keeps the number from other tests; no stream listens there.
        let bound = try TestPeer(SOCK_DGRAM, host: 77, .silent)
        let bench = try ProbeBench()
        var request = request(bound.port)
        request.host = .address(IPAddress(ipv4: 0x7F00_004D))
        let result = await bench.run(request)
        #expect(result.reason == .connectRefused)
        request.expectsFailure = true
        #expect(await bench.run(request).outcome == .success)
    }

    @Test("unexpectedly_reachable") func unexpectedlyReachable() async throws {
        let peer = try TestPeer(SOCK_STREAM, .silent)
        let bench = try ProbeBench()
        var request = request(peer.port)
        request.expectsFailure = true
        #expect(await bench.run(request).reason == .unexpectedlyReachable)
    }

    @Test("A dialogue, step by step") func dialogue() async throws {
        let peer = try TestPeer(
            SOCK_STREAM,
            .answers { bytes in
                String(decoding: bytes, as: UTF8.self) == "EHLO me\r\n" ? Array("250-a\r\n250 b\r\n".utf8) : nil
            }
        )
        let bench = try ProbeBench()
        let result = await bench.run(
            request(peer.port, [.send("EHLO me\r\n"), .expect(try ProbePattern("^250 b\r?$"))])
        )
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.phases[.request] != nil)
    }

    @Test("Expectations without a send between them look at the same bytes") func twoExpectations() async throws {
        let peer = try TestPeer(SOCK_STREAM, .says(Array("220 mail ready\r\n".utf8)))
        let bench = try ProbeBench()
        let steps: [DialogueStep] = [.expect(try ProbePattern("^220")), .expect(try ProbePattern("ready"))]
        #expect(await bench.run(request(peer.port, steps)).outcome == .success)
    }

    @Test("unexpected_response: something else, and then the end") func mismatch() async throws {
        let peer = try TestPeer(SOCK_STREAM, .saysAndCloses(Array("554 go away\r\n".utf8)))
        let bench = try ProbeBench()
        let result = await bench.run(request(peer.port, [.expect(try ProbePattern("^220"))]))
        #expect(result.reason == .unexpectedResponse)
        #expect(result.detail.contains("554 go away"))
    }

    @Test("connection_closed: the end, and nothing before it") func closed() async throws {
        let bench = try ProbeBench()
        let pattern = try ProbePattern("^220")
        for behaviour in [TestPeer.Behaviour.saysAndCloses([]), .halfCloses] {
            let peer = try TestPeer(SOCK_STREAM, behaviour)
            #expect(await bench.run(request(peer.port, [.expect(pattern)])).reason == .connectionClosed)
        }
    }

    @Test("connection_reset") func reset() async throws {
        let peer = try TestPeer(SOCK_STREAM, .resets)
        let bench = try ProbeBench()
        let result = await bench.run(request(peer.port, [.expect(try ProbePattern("^220"))]))
        #expect(result.reason == .connectionReset)
    }

    @Test("More is sent than the peer's window takes") func longSend() async throws {
        let received = Count()
        let total = 4 << 20
        let peer = try TestPeer(
            SOCK_STREAM,
            .answers { bytes in received.add(bytes.count) == total ? Array("got it".utf8) : nil }
        )
        let bench = try ProbeBench()
        let text = String(repeating: "x", count: total)
        let result = await bench.run(request(peer.port, [.send(text), .expect(try ProbePattern("got it"))]))
        #expect(result.outcome == .success, "\(result.detail)")
    }

    @Test("source_unavailable, invalid_request, interface_not_found") func origin() async throws {
        let peer = try TestPeer(SOCK_STREAM, .silent)
        let bench = try ProbeBench()
        var request = request(peer.port)
        request.source = IPAddress(ipv4: 0xC000_0201)
        #expect(await bench.run(request).reason == .sourceUnavailable)
        request.source = IPAddress(ipv4: 0x7F00_0003)
        #expect(await bench.run(request).outcome == .success)
        request.source = nil
        request.interface = "none0"
        #expect(await bench.run(request).reason == .interfaceNotFound)
        request.interface = "lo"
        #expect(await bench.run(request).outcome == .success)
        request.source = Self.loopback6
        #expect(await bench.run(request).reason == .nameWithoutAddress)
        request = self.request(peer.port)
        request.host = .address(try #require(IPAddress("fe80::1")))
        #expect(await bench.run(request).reason == .invalidRequest)
    }

    @Test("Names: the hosts file, and name_not_found") func names() async throws {
        let peer = try TestPeer(SOCK_STREAM, .silent)
        let server = try TestPeer(SOCK_DGRAM, .answers { DNSBytes.answer($0, [], code: 3) })
        let bench = try ProbeBench(hosts: "127.0.0.1 here.test\n", dnsPort: server.port)
        var request = request(peer.port)
        request.host = .name("here.test")
        let found = await bench.run(request)
        #expect(found.outcome == .success)
        #expect(found.phases[.resolve] != nil)
        request.host = .name("nowhere.test")
        #expect(await bench.run(request).reason == .nameNotFound)
        request.host = .name("a..b")
        #expect(await bench.run(request).reason == .nameInvalid)
        request.host = .name("here.test")
        request.family = .ipv6
        #expect(await bench.run(request).reason == .nameWithoutAddress)
        request.family = .both
        let half = await bench.run(request)
        #expect(half.outcome == .degraded && half.reason == .nameWithoutAddress)
    }

    @Test("Some, all and any of a name's addresses") func addresses() async throws {
        let peer = try TestPeer(SOCK_STREAM, host: 21, .silent)
        let bench = try ProbeBench(hosts: "127.0.0.22 two.test\n127.0.0.21 two.test\n")
        var request = request(peer.port)
        request.host = .name("two.test")
        #expect(await bench.run(request).reason == .connectRefused)
        request.addresses = .any
        let any = await bench.run(request)
        #expect(any.outcome == .success)
        #expect(any.address == IPAddress("127.0.0.21"))
        #expect(any.addresses.map(\.outcome) == [.failure, .success])
        request.addresses = .all
        let all = await bench.run(request)
        #expect(all.outcome == .degraded && all.reason == .someAddressesFailed)
        #expect(all.addresses.map(\.reason) == [.connectRefused, nil])
        request.expectsFailure = true
        #expect(await bench.run(request).reason == .unexpectedlyReachable)
    }

    @Test("A silent first address does not hold up the second: it is tried after 250 ms of the loop's clock")
    func stagger() async throws {
        let clock = ManualClock()
        let peers = try TestPeer.pair {
            try TestPeer(SOCK_STREAM, host: 31, .silent)
        } _: { port in
            try TestPeer(SOCK_STREAM, host: 32, port: port, .says(Array("hello".utf8)))
        }
        let bench = try ProbeBench(clock: clock, hosts: "127.0.0.31 pair.test\n127.0.0.32 pair.test\n")
        var request = request(peers.second.port, [.expect(try ProbePattern("hello"))])
        request.host = .name("pair.test")
        request.addresses = .any
        let results = bench.begin(request)
        bench.onLoop { _ in clock.advance(by: 249_999_999) }
        bench.onLoop { _ in #expect(results.count == 0) }
        bench.onLoop { _ in clock.advance(by: 1) }
        let result = try await results.next()
        #expect(result.outcome == .success && result.address == IPAddress("127.0.0.32"))
        #expect(result.duration == .milliseconds(250))
    }
}
