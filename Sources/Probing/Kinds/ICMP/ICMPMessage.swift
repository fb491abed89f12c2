// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CLinux
import Glibc

/// Encodes echo requests, and decodes replies and errors of ICMP (RFC 792) and ICMPv6 (RFC 4443). Pure.
enum ICMPMessage: Equatable {
    /// A reply, with the identifier, the sequence number and the data.
    case reply(identifier: UInt16, sequence: UInt16, data: ArraySlice<UInt8>)
    /// An error about an echo request of any process, with its type and code and the fields of the quoted request.
    case error(type: UInt8, code: UInt8, identifier: UInt16, sequence: UInt16)

    static let headerSize = 8

    /// Encodes an echo request. The kernel computes the checksum of ICMPv6.
    static func request(_ family: AddressFamily, identifier: UInt16, sequence: UInt16, data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [family == .ipv4 ? 8 : 128, 0, 0, 0]
        bytes += [UInt8(identifier >> 8), UInt8(identifier & 0xFF), UInt8(sequence >> 8), UInt8(sequence & 0xFF)]
        bytes += data
        if family == .ipv4 {
            let sum = checksum(bytes)
            bytes[2] = UInt8(sum >> 8)
            bytes[3] = UInt8(sum & 0xFF)
        }
        return bytes
    }

    /// Decodes a message without its IP header; nil when it does not concern an echo request.
    static func parse(_ bytes: ArraySlice<UInt8>, _ family: AddressFamily) -> ICMPMessage? {
        guard bytes.count >= headerSize else { return nil }
        let type = bytes[bytes.startIndex]
        if type == (family == .ipv4 ? 0 : 129) {
            guard bytes[bytes.startIndex + 1] == 0 else { return nil }
            let (identifier, sequence) = numbers(bytes)
            return .reply(identifier: identifier, sequence: sequence, data: bytes.dropFirst(headerSize))
        }
        let code = bytes[bytes.startIndex + 1]
        guard reason(type: type, code: code, family) != nil, let quoted = quote(bytes.dropFirst(8), family),
            quoted.count >= headerSize, quoted[quoted.startIndex] == (family == .ipv4 ? 8 : 128)
        else { return nil }
        let (identifier, sequence) = numbers(quoted)
        return .error(type: type, code: code, identifier: identifier, sequence: sequence)
    }

    /// Returns the payload of an IPv4 packet; nil when the packet is truncated or not ICMP.
    static func payload(ofIPv4 packet: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let first = packet.first, first >> 4 == 4 else { return nil }
        let size = Int(first & 0xF) * 4
        guard size >= 20, packet.count >= size, packet[packet.startIndex + 9] == UInt8(IPPROTO_ICMP) else { return nil }
        return packet.dropFirst(size)
    }

    /// Returns the meaning of an error's type and code in a few words, for people (RFC 792, RFC 1812, RFC 4443).
    static func meaning(type: UInt8, code: UInt8, _ family: AddressFamily) -> String {
        switch (family, type, code) {
        case (.ipv4, 3, 0), (.ipv4, 3, 6), (.ipv4, 3, 11), (.ipv6, 1, 0): "no route to the network"
        case (.ipv4, 3, 2): "the protocol is not supported"
        case (.ipv4, 3, 3), (.ipv6, 1, 4): "the port is closed"
        case (.ipv4, 3, 4), (.ipv6, 2, _): "the packet is too big for the next link"
        case (.ipv4, 3, 9), (.ipv4, 3, 10), (.ipv4, 3, 13), (.ipv6, 1, 1): "a firewall prohibits the packet"
        case (.ipv6, 1, 5): "a firewall prohibits the source address"
        case (.ipv6, 1, 6): "a route rejects the destination"
        case (.ipv4, 3, _), (.ipv6, 1, _): "the host is unreachable"
        case (.ipv4, 11, 1), (.ipv6, 3, 1): "a fragment is missing"
        case (.ipv4, 11, _), (.ipv6, 3, _): "the packet went through too many routers, possibly in a loop"
        case (.ipv4, 12, _), (.ipv6, 4, _): "the packet's header is not understood"
        default: "an ICMP error"
        }
    }

    /// Returns the reason for an error type and code; nil for other messages.
    static func reason(type: UInt8, code: UInt8, _ family: AddressFamily) -> ProbeReason? {
        switch (family, type, code) {
        case (.ipv4, 3, 0), (.ipv4, 3, 6), (.ipv4, 3, 11): .networkUnreachable
        case (.ipv4, 3, 2): .protocolUnreachable
        case (.ipv4, 3, 3): .connectRefused
        case (.ipv4, 3, 4): .messageTooBig
        case (.ipv4, 3, 9), (.ipv4, 3, 10), (.ipv4, 3, 13): .prohibited
        case (.ipv4, 3, _): .hostUnreachable
        case (.ipv4, 11, _): .ttlExceeded
        case (.ipv4, 12, _): .protocolUnreachable
        case (.ipv6, 1, 0): .networkUnreachable
        case (.ipv6, 1, 1), (.ipv6, 1, 5), (.ipv6, 1, 6): .prohibited
        case (.ipv6, 1, 4): .connectRefused
        case (.ipv6, 1, _): .hostUnreachable
        case (.ipv6, 2, _): .messageTooBig
        case (.ipv6, 3, _): .ttlExceeded
        case (.ipv6, 4, _): .protocolUnreachable
        default: nil
        }
    }

    /// The Internet checksum, RFC 1071.
    static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt64 = 0
        var index = 0
        while index + 1 < bytes.count {
            sum += UInt64(bytes[index]) << 8 | UInt64(bytes[index + 1])
            index += 2
        }
        if index < bytes.count { sum += UInt64(bytes[index]) << 8 }
        while sum >> 16 != 0 { sum = sum & 0xFFFF + sum >> 16 }
        return ~UInt16(truncatingIfNeeded: sum)
    }

    /// Returns the ICMP part of the packet that an error quotes.
    private static func quote(_ packet: ArraySlice<UInt8>, _ family: AddressFamily) -> ArraySlice<UInt8>? {
        switch family {
        case .ipv4: return payload(ofIPv4: packet)
        case .ipv6:
            // Extension headers are not parsed: our requests have none.
            guard packet.count >= 40, packet[packet.startIndex + 6] == UInt8(IPPROTO_ICMPV6) else { return nil }
            return packet.dropFirst(40)
        }
    }

    private static func numbers(_ bytes: ArraySlice<UInt8>) -> (UInt16, UInt16) {
        let at = bytes.startIndex + 4
        return (UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1]), UInt16(bytes[at + 2]) << 8 | UInt16(bytes[at + 3]))
    }
}
