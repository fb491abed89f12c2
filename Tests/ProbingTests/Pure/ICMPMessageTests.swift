// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Glibc
import TestSupport
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(15))) struct ICMPMessageTests {
    @Test("RFC 1071: a message with its checksum sums up to nothing") func checksum() {
        for size in [0, 1, 7, 56] {
            let data = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 37) }
            let bytes = ICMPMessage.request(.ipv4, identifier: 0xABCD, sequence: 0xFFFE, data: data)
            #expect(ICMPMessage.checksum(bytes) == 0)
            #expect(bytes.count == 8 + size)
        }
        #expect(ICMPMessage.checksum([0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7]) == ~0xDDF2)
    }

    @Test func replies() {
        let bytes: [UInt8] = [0, 0, 0, 0, 0x12, 0x34, 0, 7, 9, 9]
        #expect(
            ICMPMessage.parse(bytes[...], .ipv4) == .reply(identifier: 0x1234, sequence: 7, data: bytes[8...])
        )
        #expect(ICMPMessage.parse(bytes[...], .ipv6) == nil)
        #expect(ICMPMessage.parse([129, 0, 0, 0, 0, 1, 0, 2], .ipv6) == .reply(identifier: 1, sequence: 2, data: []))
        // An echo request, as a raw socket on loopback sees its own, is no reply.
        #expect(ICMPMessage.parse([8, 0, 0, 0, 0, 1, 0, 2], .ipv4) == nil)
    }

    @Test func errors() {
        let header: [UInt8] = [0x45] + [UInt8](repeating: 0, count: 8) + [1] + [UInt8](repeating: 0, count: 10)
        let quote = header + [8, 0, 0, 0, 0, 5, 0, 6]
        #expect(
            ICMPMessage.parse(([11, 0, 0, 0, 0, 0, 0, 0] + quote)[...], .ipv4)
                == .error(type: 11, code: 0, identifier: 5, sequence: 6)
        )
        let six: [UInt8] = [0x60, 0, 0, 0, 0, 8, 58] + [UInt8](repeating: 0, count: 33) + [128, 0, 0, 0, 0, 5, 0, 6]
        #expect(
            ICMPMessage.parse(([1, 3, 0, 0, 0, 0, 0, 0] + six)[...], .ipv6)
                == .error(type: 1, code: 3, identifier: 5, sequence: 6)
        )
        // Somebody's datagram, not an echo request.
        #expect(ICMPMessage.parse(([3, 3, 0, 0, 0, 0, 0, 0] + header)[...], .ipv4) == nil)
    }

    @Test(
        arguments: [
            (AddressFamily.ipv4, 3, 0, ProbeReason.networkUnreachable), (.ipv4, 3, 1, .hostUnreachable),
            (.ipv4, 3, 2, .protocolUnreachable), (.ipv4, 3, 3, .connectRefused), (.ipv4, 3, 4, .messageTooBig),
            (.ipv4, 3, 6, .networkUnreachable), (.ipv4, 3, 9, .prohibited), (.ipv4, 3, 10, .prohibited),
            (.ipv4, 3, 13, .prohibited), (.ipv4, 11, 0, .ttlExceeded), (.ipv4, 12, 0, .protocolUnreachable),
            (.ipv6, 1, 0, .networkUnreachable), (.ipv6, 1, 1, .prohibited), (.ipv6, 1, 3, .hostUnreachable),
            (.ipv6, 1, 4, .connectRefused), (.ipv6, 2, 0, .messageTooBig), (.ipv6, 3, 0, .ttlExceeded),
            (.ipv6, 4, 1, .protocolUnreachable),
        ] as [(AddressFamily, UInt8, UInt8, ProbeReason)]
    )
    func reasons(_ row: (family: AddressFamily, type: UInt8, code: UInt8, reason: ProbeReason)) {
        #expect(ICMPMessage.reason(type: row.type, code: row.code, row.family) == row.reason)
    }

    @Test("Each error has a meaning in words; nothing else has") func meanings() {
        for family in AddressFamily.allCases {
            for type in UInt8.min...UInt8.max {
                for code in UInt8.min...20 {
                    let isKnown = ICMPMessage.reason(type: type, code: code, family) != nil
                    #expect((ICMPMessage.meaning(type: type, code: code, family) != "an ICMP error") == isKnown)
                }
            }
        }
    }

    @Test("Whatever the bytes, reading ends") func fuzz() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if !bytes.isEmpty, Bool.random(using: &generator) {
                bytes[0] = [0, 1, 2, 3, 4, 11, 12, 129][Int.random(in: 0..<8, using: &generator)]
            }
            if bytes.count > 8, Bool.random(using: &generator) { bytes[8] = 0x40 | bytes[8] & 0xF }
            for family in AddressFamily.allCases { _ = ICMPMessage.parse(bytes[...], family) }
            _ = ICMPMessage.payload(ofIPv4: bytes[...])
        }
    }

    @Test(
        "A reply's hop limit is a number of a byte's range, or nothing",
        arguments: [
            (ControlMessages.bytes(of: Int32(64)), 64), (ControlMessages.bytes(of: Int32(255)) + [1], 255),
            (ControlMessages.bytes(of: Int32(0)), 0), (ControlMessages.bytes(of: Int32(256)), nil),
            (ControlMessages.bytes(of: Int32(-1)), nil), ([64, 0, 0], nil), ([64], nil), ([], nil),
        ] as [([UInt8], UInt8?)]
    )
    func hopLimit(bytes: [UInt8], limit: UInt8?) {
        for (level, type) in [(Int32(IPPROTO_IP), IP_TTL), (Int32(IPPROTO_IPV6), IPV6_HOPLIMIT)] {
            var message = SocketMessage()
            unsafe bytes.withUnsafeBytes {
                unsafe message.read(level: level, type: type, $0)
            }
            #expect(message.hopLimit == limit && message.time == nil && message.error == nil)
        }
    }

    @Test("Control messages: written messages are read, and reading ends for any bytes") func control() {
        var messages = ControlMessages()
        messages.append(level: 1, type: 2, [1, 2, 3])
        messages.append(level: 3, type: 4, Int32(5))
        var found: [(Int32, Int32, [UInt8])] = []
        unsafe messages.bytes.withUnsafeBytes {
            unsafe ControlMessages.forEach(in: $0) { found.append(($0, $1, unsafe Array($2))) }
        }
        #expect(found.count == 2)
        #expect(found.first?.2 == [1, 2, 3])
        #expect(found.last?.2 == ControlMessages.bytes(of: Int32(5)))
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5_000 {
            var bytes = messages.bytes
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
            unsafe bytes.withUnsafeBytes { unsafe ControlMessages.forEach(in: $0) { _, _, _ in } }
        }
    }
}
