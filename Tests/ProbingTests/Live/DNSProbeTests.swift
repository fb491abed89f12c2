// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import Probing
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct DNSProbeTests {
    func request(_ port: UInt16, _ edit: (inout DNSProbeSettings) -> Void = { _ in }) -> ProbeRequest {
        var settings = DNSProbeSettings(name: "example.test", port: port)
        edit(&settings)
        return ProbeRequest(
            host: .address(IPAddress(ipv4: 0x7F00_0001)),
            kind: .dns(settings),
            timeout: .seconds(20)
        )
    }

    static let good = DNSBytes.record(.a, [192, 0, 2, 1])

    @Test func overUDP() async throws {
        let peer = try TestPeer(SOCK_DGRAM, .answers { DNSBytes.answer($0, [Self.good]) })
        let bench = try ProbeBench()
        let result = await bench.run(request(peer.port))
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.dns?.answers.map(\.data) == ["192.0.2.1"])
        #expect(result.dns?.timeToLive == 60)
    }

    @Test func overTCP() async throws {
        let peer = try TestPeer(
            SOCK_STREAM,
            .answers { DNSBytes.framed(DNSBytes.answer(Array($0.dropFirst(2)), [Self.good])) }
        )
        let bench = try ProbeBench()
        let result = await bench.run(request(peer.port) { $0.transport = .tcp })
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.phases[.connect] != nil)
    }

    @Test("An answer that does not fit is queried again over TCP") func truncated() async throws {
        let peers = try TestPeer.pair {
            try TestPeer(
                SOCK_STREAM,
                host: 41,
                .answers { DNSBytes.framed(DNSBytes.answer(Array($0.dropFirst(2)), [Self.good, Self.good])) }
            )
        } _: { port in
            try TestPeer(SOCK_DGRAM, host: 41, port: port, .answers { DNSBytes.answer($0, [], flags: 0x83) })
        }
        let bench = try ProbeBench()
        var request = request(peers.second.port)
        request.host = .address(IPAddress(ipv4: 0x7F00_0029))
        let result = await bench.run(request)
        #expect(result.outcome == .success, "\(result.detail)")
        #expect(result.dns?.answers.count == 2)
    }

    @Test("unexpected_response_code, unexpected_answer, malformed_response") func wrongAnswers() async throws {
        let bench = try ProbeBench()
        let refusing = try TestPeer(SOCK_DGRAM, .answers { DNSBytes.answer($0, [], code: 5) })
        let result = await bench.run(request(refusing.port))
        #expect(result.reason == .unexpectedResponseCode)
        #expect(result.dns?.code == .refused)
        #expect(await bench.run(request(refusing.port) { $0.expectedCodes = [.refused] }).outcome == .success)
        let empty = try TestPeer(SOCK_DGRAM, .answers { DNSBytes.answer($0, []) })
        #expect(await bench.run(request(empty.port)).reason == .unexpectedAnswer)
        let broken = try TestPeer(SOCK_DGRAM, .answers { DNSBytes.answer($0, [[1, 2, 3]]) })
        #expect(await bench.run(request(broken.port)).reason == .malformedResponse)
        #expect(await bench.run(request(broken.port) { $0.name = "a..b" }).reason == .invalidRequest)
    }

    @Test("An answer with another identifier is passed over, and the right one behind it taken")
    func strangers() async throws {
        let asked = Count()
        let peer = try TestPeer(
            SOCK_DGRAM,
            .answers { question in
                var answer = DNSBytes.answer(question, [Self.good])
                if asked.add(1) == 1 { answer[0] ^= 0xFF }
                return answer
            }
        )
        let clock = ManualClock()
        let bench = try ProbeBench(clock: clock)
        let results = bench.begin(request(peer.port))
        // After a third of the time the question is sent again.
        bench.onLoop { _ in clock.advance(by: 6_666_666_667) }
        #expect(try await results.next().outcome == .success)
    }
}
