// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// A host with an optional port, as in the `Host` header and a URL's authority (RFC 9110, section 7.2; RFC 3986,
/// sections 3.2.2 and 3.2.3). User information is not part of it.
package struct HTTPAuthority: Sendable, Hashable {
    /// The host in lower case: a name, an IPv4 address, or an IP literal without its brackets; empty when the header
    /// is.
    package let host: String
    /// The port; nil without one, also when nothing follows the colon.
    package let port: UInt16?

    /// Parses a header's value.
    ///
    /// - Parameter text: without spaces around it. Must be consumed completely: text that another parser could read in
    ///   another way is not an authority.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        let hostEnd: Int
        if bytes.first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), Self.isLiteral(bytes[1..<close]) else {
                return nil
            }
            host = String(decoding: bytes[1..<close], as: UTF8.self).lowercased()
            hostEnd = close + 1
        } else {
            hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
            guard bytes.isEmpty || Self.isName(bytes[..<hostEnd]) else { return nil }
            host = String(decoding: bytes[..<hostEnd], as: UTF8.self).lowercased()
        }
        guard hostEnd < bytes.count else {
            port = nil
            return
        }
        let digits = bytes[(hostEnd + 1)...]
        guard bytes[hostEnd] == UInt8(ascii: ":"), digits.allSatisfy(Self.isDigit) else { return nil }
        guard !digits.isEmpty else {
            port = nil
            return
        }
        guard digits.count <= 5, let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0 else {
            return nil
        }
        port = number
    }

    // MARK: Hosts

    /// `reg-name` or an IPv4 address, of which at most the last label, the root's, is empty.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= 255 else { return false }
        var isInLabel = false
        var place = bytes.startIndex
        while place < bytes.endIndex {
            switch bytes[place] {
            case UInt8(ascii: "."):
                guard isInLabel else { return false }
                isInLabel = false
            case UInt8(ascii: "%"):
                guard bytes.endIndex - place > 2, isHexadecimal(bytes[place + 1]), isHexadecimal(bytes[place + 2])
                else {
                    return false
                }
                place += 2
                isInLabel = true
            case let byte:
                guard isUnreserved(byte) || isDelimiter(byte) else { return false }
                isInLabel = true
            }
            place += 1
        }
        return !bytes.isEmpty
    }

    /// An IPv6 address, with a zone after `%25` (RFC 6874), or an address of a future version.
    private static func isLiteral(_ bytes: ArraySlice<UInt8>) -> Bool {
        if let version = bytes.first, version | 0x20 == UInt8(ascii: "v") {
            let parts = bytes.dropFirst().split(
                separator: UInt8(ascii: "."),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            return parts.count == 2 && !parts[0].isEmpty && parts[0].allSatisfy(isHexadecimal) && !parts[1].isEmpty
                && parts[1].allSatisfy { isUnreserved($0) || isDelimiter($0) || $0 == UInt8(ascii: ":") }
        }
        let percent = bytes.firstIndex(of: UInt8(ascii: "%")) ?? bytes.endIndex
        let zone = bytes[percent...]
        guard
            zone.isEmpty
                || (zone.starts(with: "%25".utf8) && zone.count > 3 && zone.dropFirst(3).allSatisfy(isUnreserved))
        else { return false }
        var address = in6_addr()
        return unsafe inet_pton(AF_INET6, String(decoding: bytes[..<percent], as: UTF8.self), &address) == 1
    }

    // MARK: Characters

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

    private static func isLetter(_ byte: UInt8) -> Bool {
        byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"))
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte)
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool { "!$&'()*+,;=".utf8.contains(byte) }
}
