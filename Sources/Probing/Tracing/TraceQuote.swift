// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

/// Matches the data that ICMP errors quote with the data that was sent. Pure.
enum TraceQuote {
    enum Match: Equatable {
        case same
        case different
        /// Too little is quoted: RFC 792 requires only eight bytes behind the IP header.
        case missing
    }

    /// Compares quoted data with sent data. What follows the sent data, such as padding, is ignored.
    ///
    /// - Parameters:
    ///   - sent: The data of the packet that the quote names; nil when no such packet was sent.
    ///   - minimum: The number of bytes that identify the packet.
    static func compare(_ quoted: ArraySlice<UInt8>, with sent: [UInt8]?, minimum: Int) -> Match {
        // Routers that quote eight bytes and append extensions fill the gap with zeros (RFC 4884, section 4).
        let begin = quoted.prefix(sent?.count ?? minimum)
        guard quoted.count >= minimum, begin.contains(where: { $0 != 0 }) else { return .missing }
        guard let sent else { return .different }
        return begin.elementsEqual(sent.prefix(quoted.count)) ? .same : .different
    }
}

/// The data of a trace's datagrams: hop, attempt, and random bytes.
struct TracePayload: Equatable {
    static let size = 12
    /// The hop, the attempt and two random bytes. The kernel has compared addresses and ports.
    static let minimum = 4

    let probe: TraceProbe
    let bytes: [UInt8]

    init(_ probe: TraceProbe, nonce: UInt64, random: UInt16) {
        self.probe = probe
        var bytes = [UInt8(truncatingIfNeeded: probe.hop), UInt8(truncatingIfNeeded: probe.attempt)]
        bytes += [UInt8(random >> 8), UInt8(random & 0xFF)]
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: nonce >> shift)) }
        self.bytes = bytes
    }

    /// Returns the packet that quoted data names, before it is compared; nil when too little is quoted.
    static func probe(in quoted: ArraySlice<UInt8>) -> TraceProbe? {
        guard quoted.count >= minimum else { return nil }
        return TraceProbe(hop: Int(quoted[quoted.startIndex]), attempt: Int(quoted[quoted.startIndex + 1]))
    }
}

/// The data of a trace's echo requests: random bytes, and a number that keeps the checksum constant while the sequence
/// number changes. Routers may balance load by the checksum (Augustin et al., "Avoiding traceroute anomalies with Paris
/// traceroute", 2006).
enum TraceEchoData {
    static let size = 10
    static let minimum = 2

    /// - Parameter nonce: The same for all packets of the trace.
    static func bytes(sequence: UInt16, nonce: UInt64) -> [UInt8] {
        // In the ones' complement sum, a number and its complement add up to zero.
        var bytes = [UInt8(~sequence >> 8), UInt8(~sequence & 0xFF)]
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: nonce >> shift)) }
        return bytes
    }
}

/// An ICMP error about an echo request, as a raw socket receives it.
struct EchoErrorQuote: Equatable {
    let type: UInt8
    let code: UInt8
    /// The destination of the quoted packet.
    let destination: IPAddress
    let identifier: UInt16
    let sequence: UInt16
    /// The quoted data behind the ICMP header; may be empty.
    let data: ArraySlice<UInt8>
    let labels: [MPLSLabel]

    /// Decodes a message without its own IP header; nil for other messages.
    init?(_ message: ArraySlice<UInt8>, _ family: AddressFamily) {
        guard message.count > 8 else { return nil }
        let start = message.startIndex
        type = message[start]
        code = message[start + 1]
        let isError = family == .ipv4 ? [3, 11, 12].contains(type) : (1...4).contains(type)
        guard isError else { return nil }
        let quote = message.dropFirst(8)
        // The length of the quote, in words of four or eight bytes; 0 when the router does not know RFC 4884.
        let length = family == .ipv4 ? Int(message[start + 5]) * 4 : Int(message[start + 4]) * 8
        let header: Int
        let address: ArraySlice<UInt8>
        switch family {
        case .ipv4:
            header = Int(quote[quote.startIndex] & 0xF) * 4
            guard quote[quote.startIndex] >> 4 == 4, header >= 20, quote.count >= header + 8,
                quote[quote.startIndex + 9] == 1
            else { return nil }
            address = quote.dropFirst(16).prefix(4)
        case .ipv6:
            header = 40
            // Extension headers are not parsed: our requests have none.
            guard quote[quote.startIndex] >> 4 == 6, quote.count >= header + 8, quote[quote.startIndex + 6] == 58 else {
                return nil
            }
            address = quote.dropFirst(24).prefix(16)
        }
        let echo = quote.dropFirst(header)
        let at = echo.startIndex
        guard echo[at] == (family == .ipv4 ? 8 : 128),
            let destination = unsafe Array(address).withUnsafeBytes({ unsafe IPAddress(networkBytes: $0) })
        else { return nil }
        self.destination = destination
        identifier = UInt16(echo[at + 4]) << 8 | UInt16(echo[at + 5])
        sequence = UInt16(echo[at + 6]) << 8 | UInt16(echo[at + 7])
        data = echo.dropFirst(8)
        labels = ICMPExtensions.labels(
            behind: echo,
            quote: length >= ICMPExtensions.quoteLength ? length - header : nil,
            stripped: header
        )
    }
}
