// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import LinuxIO
import Probing
import Synchronization
import TestSupport
import Testing

/// What a policy keeps a run from: nothing that it closes may see a packet.
@Suite(.timeLimit(.minutes(15))) struct TargetPolicyRunTests {
    static let loopback = IPAddress(ipv4: 0x7F00_0001)
    /// 127.0.0.1 is open, and no other address.
    static let one = TargetPolicy(allowed: [IPPrefix(loopback, length: 32)], denied: [])

    private static func kinds(port: UInt16) throws -> [ProbeKind] {
        [
            .tcp(TCPProbeSettings(port: port)), .tls(TLSProbeSettings(port: port)),
            .udp(UDPProbeSettings(port: port, payload: [1], reply: .any)), .icmp(ICMPProbeSettings()),
            .dns(DNSProbeSettings(name: "x.test", type: try #require(DNSRecordType(name: "A")), port: port)),
            .http(HTTPProbeSettings(url: try HTTPURL("http://a.test:\(port)/"))),
            .grpc(GRPCProbeSettings(port: port)),
        ]
    }

    @Test("target_denied: a name with a denied address is not probed, whatever the kind; one of several is enough")
    func resolved() async throws {
        let touched = Recorder<[UInt8]>()
        let note: @Sendable ([UInt8]) -> [UInt8]? = { bytes in
            touched.record(bytes)
            return nil
        }
        let peers = try TestPeer.pair {
            try TestPeer(SOCK_STREAM, host: 7, .greetsAndAnswers([], note))
        } _: { port in
            try TestPeer(SOCK_DGRAM, host: 7, port: port, .answers(note))
        }
        let bench = try ProbeBench(hosts: "127.0.0.7 a.test\n127.0.0.1 b.test\n127.0.0.7 b.test\n")
        for kind in try Self.kinds(port: peers.first.port) {
            let result = await bench.run(ProbeRequest(host: .name("a.test"), kind: kind), under: Self.one)
            #expect(result.outcome == .failure && result.reason == .targetDenied, "\(kind.name): \(result.detail)")
            #expect(result.detail.contains("127.0.0.7"))
            // Turned round it is no success either.
            var turned = ProbeRequest(host: .name("a.test"), kind: kind)
            turned.expectsFailure = true
            #expect(await bench.run(turned, under: Self.one).outcome == .failure)
            let literal = ProbeHost.address(IPAddress(ipv4: 0x7F00_0007))
            #expect(await bench.run(ProbeRequest(host: literal, kind: kind), under: Self.one).reason == .targetDenied)
        }
        var all = ProbeRequest(host: .name("b.test"), kind: .tcp(TCPProbeSettings(port: peers.first.port)))
        all.addresses = .all
        #expect(await bench.run(all, under: Self.one).reason == .targetDenied)
        #expect(touched.count == 0)
        // Who is not bound asks.
        let udp = UDPProbeSettings(port: peers.second.port, payload: [1], reply: .any)
        let free = ProbeRequest(host: .name("a.test"), kind: .udp(udp), timeout: .milliseconds(50))
        _ = await bench.run(free)
        #expect(try await touched.next() == [1])
    }

    @Test("each run connects to the addresses that it checked: a name that changes meanwhile leads nowhere else")
    func rebinding() async throws {
        let answers = Mutex<[[UInt8]]>([[127, 0, 0, 1], [127, 0, 0, 7]])
        let a = try #require(DNSRecordType(name: "A"))
        let server = try TestPeer(
            SOCK_DGRAM,
            .answers { question in
                // AAAA: no data.
                guard question.dropLast(2).last == 1 else { return DNSBytes.answer(question, []) }
                let address = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                return DNSBytes.answer(question, [DNSBytes.record(a, address, ttl: 0)])
            }
        )
        let closed = Recorder<[UInt8]>()
        let open = Exchange(Exchange.response(body: "open"))
        let peers = try TestPeer.pair {
            try TestPeer(SOCK_STREAM, open.behaviour)
        } _: { port in
            try TestPeer(
                SOCK_STREAM,
                host: 7,
                port: port,
                .answers { bytes in
                    closed.record(bytes)
                    return nil
                }
            )
        }
        let bench = try ProbeBench(dnsPort: server.port)
        let settings = HTTPProbeSettings(url: try HTTPURL("http://a.test:\(peers.second.port)/"))
        let request = ProbeRequest(host: .name("a.test"), kind: .http(settings), family: .ipv4)
        let first = await bench.run(request, under: Self.one)
        #expect(first.outcome == .success, "\(first.detail)")
        let second = await bench.run(request, under: Self.one)
        #expect(second.reason == .targetDenied, "\(second.detail)")
        #expect(closed.count == 0)
    }

    @Test(
        "target_denied: a redirect to a closed address, by its literal, by a name, by a form that only some read so",
        arguments: ["127.0.0.7", "closed.test", "0x7f000007", "2130706439", "[::ffff:127.0.0.7]"]
    )
    func redirect(host: String) async throws {
        let touched = Recorder<[UInt8]>()
        let closed = try TestPeer(
            SOCK_STREAM,
            host: 7,
            .answers { bytes in
                touched.record(bytes)
                return nil
            }
        )
        let first = Exchange(
            Exchange.response("302 Found", ["Location: http://\(host):\(closed.port)/latest/meta-data/"])
        )
        let peer = try TestPeer(SOCK_STREAM, first.behaviour)
        let bench = try ProbeBench(hosts: "127.0.0.7 closed.test\n")
        var settings = HTTPProbeSettings(url: try HTTPURL("http://a.test:\(peer.port)/"))
        settings.redirects = 5
        let request = ProbeRequest(host: .address(Self.loopback), kind: .http(settings))
        let result = await bench.run(request, under: Self.one)
        #expect(result.reason == .targetDenied, "\(result.detail)")
        #expect(touched.count == 0)
    }

    @Test("target_denied: a redirect to a closed scheme or port")
    func redirectElsewhere() async throws {
        let first = Exchange(Exchange.response("302 Found", ["Location: https://a.test/"]))
        let peer = try TestPeer(SOCK_STREAM, first.behaviour)
        let bench = try ProbeBench()
        var settings = HTTPProbeSettings(url: try HTTPURL("http://a.test:\(peer.port)/"))
        settings.redirects = 5
        let request = ProbeRequest(host: .address(Self.loopback), kind: .http(settings))
        let plain = await bench.run(request, under: TargetPolicy(kinds: [TargetPolicy.Kind("http")]))
        #expect(plain.reason == .targetDenied && plain.detail.contains("https is not allowed"))
        let port = await bench.run(request, under: TargetPolicy(ports: [peer.port...peer.port]))
        #expect(port.reason == .targetDenied && port.detail.contains("port 443 is not allowed"))
    }
}
