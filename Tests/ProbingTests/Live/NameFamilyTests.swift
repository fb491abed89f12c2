// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import Synchronization
import Testing

/// Probes of names about which the name server answers one question and not, or late, the other one.
@Suite(.timeLimit(.minutes(15))) struct NameFamilyTests {
    private static func type(of question: [UInt8]) -> UInt16 {
        question.count > 4 ? UInt16(question[question.count - 4]) << 8 | UInt16(question[question.count - 3]) : 0
    }

    /// Answers A with 127.0.0.1 and never AAAA, or the other way round.
    private func halfServer(_ answered: UInt16 = 1) throws -> TestPeer {
        try TestPeer(
            SOCK_DGRAM,
            .answers { question in
                guard Self.type(of: question) == answered else { return nil }
                let data: [UInt8] = answered == 1 ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 15) + [1]
                return DNSBytes.answer(question, [DNSBytes.record(answered == 1 ? .a : .aaaa, data)])
            }
        )
    }

    private func request(_ port: UInt16, _ family: ProbeFamily) -> ProbeRequest {
        ProbeRequest(
            host: .name("half.example"),
            kind: .tcp(TCPProbeSettings(port: port)),
            timeout: family == .both ? .milliseconds(500) : .seconds(60),
            family: family
        )
    }

    @Test("A server that never answers AAAA: up, and what is missing is noted", arguments: [ProbeFamily.any, .ipv4])
    func missing(family: ProbeFamily) async throws {
        let (names, peer) = (try halfServer(), try TestPeer(SOCK_STREAM, .silent))
        let result = await (try ProbeBench(dnsPort: names.port)).run(request(peer.port, family))
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.detail.contains("no answer about ipv6") == (family == .any))
    }

    @Test("both: the half that is missing degrades, as a family without addresses does")
    func both() async throws {
        let (names, peer) = (try halfServer(), try TestPeer(SOCK_STREAM, .silent))
        let result = await (try ProbeBench(dnsPort: names.port)).run(request(peer.port, .both))
        #expect(result.outcome == .degraded)
        #expect(result.reason == .nameTimeout)
    }

    @Test("IPv6 that comes late is tried when IPv4 fails")
    func lateIPv6() async throws {
        let (peer, refusing) = try TestPeer.pair(
            { try TestPeer(SOCK_STREAM, isIPv6: true, .silent) },
            { try TestPeer(SOCK_STREAM, port: $0, .refuses) }
        )
        // AAAA is answered only when it is asked a second time, after c-ares's time-out.
        let asked = Mutex(0)
        let names = try TestPeer(
            SOCK_DGRAM,
            .answers { question in
                if Self.type(of: question) == 1 {
                    return DNSBytes.answer(question, [DNSBytes.record(.a, [127, 0, 0, 1])])
                }
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                guard count > 1 else { return nil }
                return DNSBytes.answer(question, [DNSBytes.record(.aaaa, [UInt8](repeating: 0, count: 15) + [1])])
            }
        )
        var request = request(peer.port, .any)
        request.addresses = .any
        let result = await (try ProbeBench(dnsPort: names.port)).run(request)
        withExtendedLifetime(refusing) {}
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.address == IPAddress(ipv6High: 0, low: 1))
        #expect(result.addresses.map(\.outcome) == [.failure, .success])
    }

    @Test("A name without addresses of the only family says so")
    func noData() async throws {
        let names = try TestPeer(SOCK_DGRAM, .answers { DNSBytes.answer($0, []) })
        let result = await (try ProbeBench(dnsPort: names.port)).run(request(9, .ipv4))
        #expect(result.reason == .nameWithoutAddress)
        #expect(result.detail == "half.example has no ipv4 address")
    }
}
