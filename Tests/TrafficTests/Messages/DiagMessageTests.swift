// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import LinuxIO
import TestSupport
import Testing

@testable import Traffic

@Suite("The parser of sock_diag messages", .timeLimit(.minutes(15))) struct DiagMessageTests {
    @Test("reads the endpoints, the queues, the cookie and tcp_info of a kernel's message")
    func client() throws {
        let message = try #require(
            SampleMessage.client.parse { ($0.local.port, $0.remote, $0.state, $0.cookie, $0.receiveQueue, $0.info) }
        )
        #expect(message.0 == 45792)
        #expect(message.1 == TrafficEndpoint(IPAddress(ipv4: 0x7f00_0001), port: 8080))
        #expect(message.2 == 7)
        #expect(message.3 == 0x1027)
        #expect(message.4 == 0)
        let info = try #require(message.5)
        #expect(info.roundTrip == 5454)
        #expect(info.minimumRoundTrip == 10)
        #expect(info.bytesAcknowledged == 102)
        #expect(info.bytesReceived == 50)
        #expect(info.segmentsOut == 5)
        #expect(info.segmentsIn == 4)
        #expect(info.bytesSent == 100)
        #expect(info.bytesRetransmitted == 0)
    }

    @Test("the cookie has 64 bits, as SO_COOKIE has")
    func cookie() {
        var message = SampleMessage.client
        message.set(UInt64(0x1234_5678_9abc_def0), at: 60)
        #expect(message.parse { $0.cookie } == 0x1234_5678_9abc_def0)
    }

    @Test("IPv4-mapped addresses are IPv4 addresses, and IPv6 addresses are read whole")
    func families() throws {
        let mapped = try #require(SampleMessage.served.parse { ($0.family, $0.local) })
        #expect(mapped.0 == .ipv6)
        #expect(mapped.1 == TrafficEndpoint(IPAddress(ipv4: 0x7f00_0001), port: 8080))
        let six = try #require(SampleMessage.ipv6.parse { $0.remote })
        #expect(six == TrafficEndpoint(IPAddress(ipv6High: 0, low: 1), port: 8080))
        #expect(six.description == "[::1]:8080")
    }

    @Test("a shorter tcp_info of an older kernel lacks the later fields only")
    func older() throws {
        // 4.3 ended with tcpi_segs_in, 4.9 with tcpi_delivery_rate.
        let oldest = try #require(SampleMessage.client.cut(infoTo: 144).parse { $0.info } ?? nil)
        #expect(oldest.segmentsIn == 4)
        #expect(oldest.minimumRoundTrip == nil)
        #expect(oldest.bytesSent == nil)
        let later = try #require(SampleMessage.client.cut(infoTo: 168).parse { $0.info } ?? nil)
        #expect(later.minimumRoundTrip == 10)
        #expect(later.bytesSent == nil)
        #expect(SampleMessage.client.cut(infoTo: 143).parse { $0.info == nil } == true)
    }

    @Test("a message cut at any byte is skipped or read, and reads nothing behind its end")
    func truncated() {
        for sample in SampleMessage.all {
            for length in 0..<sample.bytes.count {
                // With the header's length as it was, then with one that fits.
                var cut = SampleMessage(bytes: Array(sample.bytes[..<length]))
                #expect(cut.parse { _ in true } == nil)
                guard length >= 16 else { continue }
                cut.set(UInt32(length), at: 0)
                #expect((cut.parse { _ in true } != nil) == (length >= 88), "\(length)")
                _ = cut.connection()
            }
        }
    }

    @Test("several messages in one datagram are read; a length that is too short or too long ends the walk")
    func several() {
        let joined = SampleMessage(bytes: SampleMessage.all.flatMap(\.bytes))
        #expect(Self.count(joined.bytes) == 4)
        for (length, expected) in [(UInt32(15), 1), (0, 1), (.max, 1), (381, 1)] {
            var broken = joined
            let second = SampleMessage.client.bytes.count
            broken.set(length == 381 ? UInt32(joined.bytes.count) : length, at: second)
            #expect(Self.count(broken.bytes) == expected)
        }
    }

    @Test("the end of a dump and a refused request carry their errno")
    func control() {
        for (type, code) in [(NLMSG_DONE, Int32(0)), (NLMSG_DONE, -2), (NLMSG_ERROR, -95), (NLMSG_ERROR, .min)] {
            var message = SampleMessage(bytes: Array(repeating: 0, count: 20))
            message.set(UInt32(20), at: 0)
            message.set(UInt16(type), at: 4)
            message.set(UInt32(7), at: 8)
            message.set(code, at: 16)
            var seen: [Int32] = []
            unsafe message.bytes.withUnsafeBytes { bytes in
                unsafe DiagReply.forEach(in: NetlinkBytes(bytes)) { reply, sequence in
                    #expect(sequence == 7)
                    switch reply {
                    case .socket: Issue.record("not a socket")
                    case .done(let code): seen.append(code)
                    case .failure(let code): seen.append(code)
                    }
                }
            }
            #expect(seen == [code == .min ? 0 : -code])
        }
    }

    @Test("random bytes and damaged messages never crash the parser or the classification")
    func fuzz() {
        var random = SeededGenerator(seed: 20_261_123)
        var parsed = 0
        for round in 0..<60_000 {
            var sample = SampleMessage.all[round % 4]
            if random.once(in: 3) { sample.bytes += SampleMessage.all[(round / 4) % 4].bytes }
            if random.once(in: 20) {
                sample.bytes = (0..<Int.random(in: 0..<600, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            }
            for _ in 0..<Int.random(in: 0..<12, using: &random) where !sample.bytes.isEmpty {
                let index = random.once(in: 2) ? Int.random(in: 0..<4, using: &random) * 4 + 96 : nil
                let position = index.flatMap { $0 < sample.bytes.count ? $0 : nil }
                sample.bytes[position ?? Int.random(in: 0..<sample.bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            if random.once(in: 4) {
                sample.bytes.removeLast(Int.random(in: 0...sample.bytes.count, using: &random))
            }
            unsafe sample.bytes.withUnsafeBytes { bytes in
                unsafe DiagReply.forEach(in: NetlinkBytes(bytes)) { reply, _ in
                    guard case .socket(let message) = reply else { return }
                    parsed += 1
                    _ = EndedConnection(message, role: random.once(in: 2) ? .client : .server)
                    _ = HangingConnection(message)
                    _ = message.shutdown
                }
            }
        }
        #expect(parsed > 30_000)
    }

    private static func count(_ bytes: [UInt8]) -> Int {
        var sockets = 0
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe DiagReply.forEach(in: NetlinkBytes(bytes)) { reply, _ in
                if case .socket = reply { sockets += 1 }
            }
        }
        return sockets
    }
}
