// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import TestSupport
import Testing

@testable import Probing

@Suite(.timeLimit(.minutes(15))) struct TraceQuoteTests {
    // MARK: Extensions

    /// An extension structure with objects, each a class, a type and its content.
    private func structure(_ objects: [(UInt8, UInt8, [UInt8])], hasChecksum: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = [0x20, 0, 0, 0]
        for (kind, type, content) in objects {
            let length = content.count + 4
            bytes += [UInt8(length >> 8), UInt8(length & 0xFF), kind, type] + content
        }
        guard hasChecksum else { return bytes }
        let sum = ICMPMessage.checksum(bytes)
        bytes[2] = UInt8(sum >> 8)
        bytes[3] = UInt8(sum & 0xFF)
        return bytes
    }

    private let label = MPLSLabel(label: 0x12345, trafficClass: 3, isBottom: true, timeToLive: 254)
    private let entry: [UInt8] = [0x12, 0x34, 0x57, 254]

    @Test("RFC 4950: labels, also behind other objects") func labels() {
        #expect(ICMPExtensions.labels(in: structure([(1, 1, entry)])[...]) == [label])
        // Interface information (RFC 5837) first.
        let two = structure([(2, 0x0A, [0, 0, 0, 7]), (1, 1, entry + entry)])
        #expect(ICMPExtensions.labels(in: two[...]) == [label, label])
        #expect(ICMPExtensions.labels(in: structure([(1, 2, entry), (3, 1, entry)])[...]).isEmpty)
        // Half an entry at the end is none.
        #expect(ICMPExtensions.labels(in: structure([(1, 1, entry + [1, 2])])[...]) == [label])
    }

    @Test("A checksum must be right; 0 is none, which suffices where the position is stated") func checksum() {
        var bytes = structure([(1, 1, entry)])
        #expect(ICMPExtensions.labels(in: bytes[...], needsChecksum: true) == [label])
        bytes[3] ^= 1
        #expect(ICMPExtensions.labels(in: bytes[...]).isEmpty)
        let without = structure([(1, 1, entry)], hasChecksum: false)
        #expect(ICMPExtensions.labels(in: without[...]) == [label])
        #expect(ICMPExtensions.labels(in: without[...], needsChecksum: true).isEmpty)
        var other = without
        other[0] = 0x10
        #expect(ICMPExtensions.labels(in: other[...]).isEmpty, "version 1")
    }

    @Test("No more labels than the limit") func limit() {
        let many = structure([(1, 1, Array([[UInt8]](repeating: entry, count: 100).joined()))])
        #expect(ICMPExtensions.labels(in: many[...]).count == ICMPExtensions.labelLimit)
    }

    @Test("Behind the quote: where the error states it, or at 128 bytes with a checksum") func position() {
        let extensions = structure([(1, 1, entry)])
        let quote = [UInt8](repeating: 0, count: 128 - 28)
        #expect(ICMPExtensions.labels(behind: (quote + extensions)[...], quote: 100, stripped: 28) == [label])
        #expect(ICMPExtensions.labels(behind: (quote + extensions)[...], quote: nil, stripped: 28) == [label])
        #expect(ICMPExtensions.labels(behind: (quote + extensions)[...], quote: nil, stripped: 20).isEmpty)
        #expect(ICMPExtensions.labels(behind: (quote + extensions)[...], quote: 1_000, stripped: 28).isEmpty)
        let unchecked = structure([(1, 1, entry)], hasChecksum: false)
        #expect(ICMPExtensions.labels(behind: (quote + unchecked)[...], quote: nil, stripped: 28).isEmpty)
        #expect(ICMPExtensions.labels(behind: [], quote: nil, stripped: 28).isEmpty)
    }

    @Test("Whatever the bytes, reading ends") func fuzz() {
        var generator = SeededGenerator(seed: 4_884)
        for round in 0..<20_000 {
            var bytes = structure(
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                    let content = (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
                        UInt8.random(in: 0...255, using: &generator)
                    }
                    return (UInt8.random(in: 0...2, using: &generator), 1, content)
                },
                hasChecksum: round % 2 == 0
            )
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
            #expect(ICMPExtensions.labels(in: bytes[...]).count <= ICMPExtensions.labelLimit)
            _ = ICMPExtensions.labels(
                behind: bytes[...],
                quote: Bool.random(using: &generator) ? Int.random(in: 0..<200, using: &generator) : nil,
                stripped: Int.random(in: 0..<140, using: &generator)
            )
        }
    }

    // MARK: Quotes

    @Test("A quote is the same, different, or too short to tell") func compare() {
        let sent: [UInt8] = [3, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 9]
        func match(_ quoted: [UInt8]) -> TraceQuote.Match {
            TraceQuote.compare(quoted[...], with: sent, minimum: TracePayload.minimum)
        }
        #expect(match(sent) == .same)
        #expect(match(sent + [0, 0, 0]) == .same, "padding")
        #expect(match(Array(sent.prefix(4))) == .same)
        #expect(match(Array(sent.prefix(3))) == .missing)
        #expect(match([]) == .missing)
        #expect(match([UInt8](repeating: 0, count: 100)) == .missing, "padding in place of the quote")
        for index in sent.indices {
            var other = sent
            other[index] ^= 0x80
            #expect(match(other) == .different)
        }
        #expect(TraceQuote.compare(sent[...], with: nil, minimum: 4) == .different)
        #expect(TraceQuote.compare([], with: nil, minimum: 4) == .missing)
    }

    @Test("A datagram's data names its packet, and differs between packets") func payload() throws {
        let probe = TraceProbe(hop: 30, attempt: 3)
        let payload = TracePayload(probe, nonce: 0x0102_0304_0506_0708, random: 0xABCD)
        #expect(payload.bytes == [30, 3, 0xAB, 0xCD, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(payload.bytes.count == TracePayload.size)
        #expect(TracePayload.probe(in: payload.bytes[...]) == probe)
        #expect(TracePayload.probe(in: payload.bytes.prefix(3)) == nil)
        #expect(TracePayload(probe, nonce: 1, random: 2) != TracePayload(probe, nonce: 1, random: 3))
    }

    @Test("The checksum of echo requests is the same for each sequence number") func echo() {
        for family in AddressFamily.allCases {
            var checksums: Set<UInt16> = []
            for sequence in [0, 1, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF] as [UInt16] {
                var bytes = ICMPMessage.request(
                    family,
                    identifier: 0x1234,
                    sequence: sequence,
                    data: TraceEchoData.bytes(sequence: sequence, nonce: 99)
                )
                bytes[2] = 0
                bytes[3] = 0
                checksums.insert(ICMPMessage.checksum(bytes))
                #expect(bytes.count == 8 + TraceEchoData.size)
            }
            #expect(checksums.count == 1)
        }
    }

    // MARK: Errors on raw sockets

    private func error(_ family: AddressFamily, quoting data: [UInt8] = [1, 2]) -> [UInt8] {
        let isFour = family == .ipv4
        let head: [UInt8] =
            isFour
            ? [0x45, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 192, 0, 2, 2, 203, 0, 113, 1]
            : [0x60, 0, 0, 0, 0, 10, 58, 1] + [UInt8](repeating: 1, count: 16) + [0x20, 1, 0x0D, 0xB8]
                + [UInt8](repeating: 0, count: 11) + [9]
        return [isFour ? 11 : 3, 0, 0, 0, 0, 0, 0, 0] + head + [isFour ? 8 : 128, 0, 0, 0, 0x12, 0x34, 0, 7] + data
    }

    @Test(arguments: AddressFamily.allCases) func echoErrors(_ family: AddressFamily) throws {
        let bytes = error(family)
        let quote = try #require(EchoErrorQuote(bytes[...], family))
        #expect(quote.destination == IPAddress(family == .ipv4 ? "203.0.113.1" : "2001:db8::9"))
        #expect(quote.identifier == 0x1234 && quote.sequence == 7 && Array(quote.data) == [1, 2])
        #expect(quote.type == (family == .ipv4 ? 11 : 3) && quote.labels.isEmpty)
        // Any part of it that is missing.
        for count in 0..<(bytes.count - 2) { #expect(EchoErrorQuote(bytes.prefix(count), family) == nil) }
        // Another protocol, another ICMP message.
        var other = bytes
        other[8 + (family == .ipv4 ? 9 : 6)] = 17
        #expect(EchoErrorQuote(other[...], family) == nil)
        other = bytes
        other[0] = 0
        #expect(EchoErrorQuote(other[...], family) == nil)
        #expect(EchoErrorQuote(bytes[...], family == .ipv4 ? .ipv6 : .ipv4) == nil)
    }

    @Test("Labels behind the quote of an error", arguments: AddressFamily.allCases)
    func echoLabels(_ family: AddressFamily) throws {
        var bytes = error(family)
        bytes += [UInt8](repeating: 0, count: 8 + 128 - bytes.count) + structure([(1, 1, entry)])
        #expect(EchoErrorQuote(bytes[...], family)?.labels == [label], "at 128 bytes, not stated")
        bytes[family == .ipv4 ? 5 : 4] = family == .ipv4 ? 32 : 16
        #expect(EchoErrorQuote(bytes[...], family)?.labels == [label])
        bytes[family == .ipv4 ? 5 : 4] = 255
        #expect(EchoErrorQuote(bytes[...], family)?.labels == [])
    }

    @Test("Whatever the message, decoding ends") func fuzzErrors() {
        var generator = SeededGenerator(seed: 792)
        for _ in 0..<20_000 {
            let family: AddressFamily = Bool.random(using: &generator) ? .ipv4 : .ipv6
            var bytes = error(family, quoting: (0..<Int.random(in: 0..<120, using: &generator)).map { UInt8($0) })
            for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
            if let quote = EchoErrorQuote(bytes[...], family) { #expect(quote.data.count < 120) }
            _ = EchoErrorQuote(bytes.dropFirst(3), family)
        }
    }
}
