// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Probing

/// Messages of NTP (RFC 5905, sections 6 to 8).
@Suite struct NTPMessageTests {
    @Test("The request is a client's of version 4, and contains only the number that the reply returns")
    func request() {
        let bytes = NTPMessage.request(nonce: 0x0102_0304_0506_0708)
        #expect(bytes.count == 48 && bytes[0] == 0x23)
        #expect(bytes[1..<40].allSatisfy { $0 == 0 })
        #expect(Array(bytes[40...]) == [1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test("A reply is read field by field") func reply() throws {
        let message = try #require(NTPBytes(stratum: 2, reference: [192, 0, 2, 9]).message)
        #expect(message.leap == .none && message.version == 4 && message.stratum == 2)
        #expect(message.source == "192.0.2.9" && message.kissCode == nil)
        #expect(message.rootDelay == .milliseconds(250) && message.rootDispersion == .milliseconds(1_500))
        let clock = try #require(NTPBytes(stratum: 1, reference: Array("GPS\0".utf8)).message)
        #expect(clock.source == "GPS" && clock.kissCode == nil)
    }

    @Test(
        "Offset and delay are those of section 8: whichever clock is ahead, and across the era change in 2036",
        arguments: [0, 2_085_978_494]
    )
    func times(shift: UInt64) throws {
        // Sent at 100.000, received there at 100.530, answered at 100.540, here at 100.050: the server is 510 ms ahead.
        func moment(_ milliseconds: UInt64) -> NTPTime {
            NTPTime(nanoseconds: (shift * 1_000 + milliseconds) * 1_000_000)
        }
        var bytes = NTPBytes(received: moment(100_530), transmitted: moment(100_540))
        let answer = NTPAnswer(try #require(bytes.message), sent: moment(100_000), received: moment(100_050))
        #expect(abs((answer.offset - .milliseconds(510)) / .nanoseconds(1)) < 10)
        #expect(abs((answer.delay - .milliseconds(40)) / .nanoseconds(1)) < 10)
        bytes = NTPBytes(received: moment(99_010), transmitted: moment(99_020))
        let behind = NTPAnswer(try #require(bytes.message), sent: moment(100_000), received: moment(100_050))
        #expect(abs((behind.offset + .milliseconds(1_010)) / .nanoseconds(1)) < 10)
        #expect(behind.distance == .zero - behind.offset)
        #expect(behind.summary(\.milliseconds).contains("1010 ms behind"))
    }

    @Test("Messages for other requests are ignored, and invalid replies are malformed") func others() {
        let bytes = NTPBytes().bytes
        func reading(_ bytes: [UInt8], _ nonces: [UInt64] = [NTPBytes.nonce]) -> String {
            switch NTPMessage.read(bytes, nonces: nonces).reading {
            case .reply: "reply"
            case .forAnother: "another"
            case .malformed(let words): words
            }
        }
        #expect(reading(bytes) == "reply")
        #expect(reading(bytes, [1, 2]) == "another" && reading(bytes, []) == "another")
        #expect(reading(Array(bytes.dropLast())) == "another" && reading([]) == "another")
        #expect(reading(bytes + [1, 2, 3]) == "reply")
        #expect(NTPMessage.read(bytes, nonces: [7, NTPBytes.nonce]).index == 1)
        for first in [0x23, 0x25, 0x20] as [UInt8] {
            #expect(reading([first] + bytes.dropFirst()).hasPrefix("the mode"))
        }
        #expect(reading([0x3c] + bytes.dropFirst()) == "the version is 7")
    }

    @Test("A kiss code has letters; without them the server is only not synchronised") func kisses() throws {
        let settings = NTPProbeSettings()
        func reason(_ bytes: NTPBytes, _ settings: NTPProbeSettings = settings) throws -> ProbeReason? {
            let message = try #require(bytes.message)
            let answer = NTPAnswer(message, sent: bytes.received, received: bytes.transmitted)
            return settings.fault(of: message, answer)?.reason
        }
        #expect(try reason(NTPBytes()) == nil)
        #expect(try reason(NTPBytes(leap: 3, stratum: 0, reference: Array("RATE".utf8))) == .ntpKissOfDeath)
        #expect(try reason(NTPBytes(leap: 0, stratum: 0, reference: Array("DENY".utf8))) == .ntpKissOfDeath)
        #expect(try reason(NTPBytes(leap: 0, stratum: 0, reference: [0, 0, 0, 0])) == .ntpUnsynchronized)
        #expect(try reason(NTPBytes(leap: 3, stratum: 2)) == .ntpUnsynchronized)
        #expect(try reason(NTPBytes(leap: 0, stratum: 16)) == .ntpUnsynchronized)
        #expect(try reason(NTPBytes(leap: 1, stratum: 15)) == nil)
        #expect(try reason(NTPBytes(stratum: 4), NTPProbeSettings(maximumStratum: 3)) == .ntpStratum)
        var ahead = NTPBytes()
        ahead.received = NTPTime(nanoseconds: 5_000_000_000)
        ahead.transmitted = ahead.received
        let message = try #require(ahead.message)
        let now = NTPTime(nanoseconds: 4_800_000_000)
        let answer = NTPAnswer(message, sent: now, received: now)
        #expect(NTPProbeSettings(maximumOffset: .milliseconds(199)).fault(of: message, answer)?.reason == .ntpOffset)
        #expect(NTPProbeSettings(maximumOffset: .milliseconds(201)).fault(of: message, answer) == nil)
    }

    @Test("No bytes crash, and no answer has a delay below nothing") func noise() {
        var generator = SeededGenerator(seed: 123)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if bytes.count >= 48, Bool.random(using: &generator) {
                bytes[0] = bytes[0] & 0xC0 | 0x24
                bytes.replaceSubrange(24..<32, with: NTPBytes().bytes[24..<32])
            }
            guard case .reply(let message) = NTPMessage.read(bytes, nonces: [NTPBytes.nonce]).reading else { continue }
            let now = NTPTime(bits: UInt64.random(in: 0...UInt64.max, using: &generator))
            let answer = NTPAnswer(message, sent: now, received: now)
            #expect(answer.delay >= .zero)
            _ = NTPProbeSettings(maximumOffset: .seconds(1)).fault(of: message, answer)
            _ = answer.summary(\.milliseconds)
        }
    }
}

/// A server's reply, byte by byte.
struct NTPBytes: Sendable {
    static let nonce: UInt64 = 0xA1B2_C3D4_E5F6_0718

    var leap: UInt8 = 0
    var stratum: UInt8 = 2
    var reference: [UInt8] = [192, 0, 2, 9]
    var received = NTPTime(nanoseconds: 1_000_000_000)
    var transmitted = NTPTime(nanoseconds: 1_000_000_000)
    var origin = Self.nonce

    var bytes: [UInt8] {
        func big(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
        // Root delay 0.25 s, root dispersion 1.5 s.
        return [leap << 6 | 0x24, stratum, 6, 0xE9, 0, 0, 0x40, 0, 0, 1, 0x80, 0] + reference + big(0) + big(origin)
            + big(received.bits) + big(transmitted.bits)
    }

    var message: NTPMessage? {
        if case .reply(let message) = NTPMessage.read(bytes, nonces: [origin]).reading { message } else { nil }
    }
}
