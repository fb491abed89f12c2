// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
internal import CLinux

/// Names with fixed addresses, `hosts(5)`.
///
/// c-ares up to 1.18 reads `/etc/hosts` and no other file, and reads it anew for every name; this table is read once
/// and asked from then on.
struct HostsFile {
    private var table: [String: [ResolvedAddress]] = [:]

    /// A file without a line.
    init() {}

    /// Reads a file's bytes. Lines without a proper address or a name are passed over; a name on several lines has the
    /// addresses of all of them, in their order.
    init(parsing file: [UInt8]) {
        for line in file.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let words = line.prefix { $0 != UInt8(ascii: "#") }.split {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
            }
            guard let first = words.first, let literal = AddressLiteral.read(first) else { continue }
            let address = ResolvedAddress(literal, timeToLive: ResolvedAddress.permanent)
            for word in words.dropFirst() where word.count <= 253 {
                var known = table[Self.key(word), default: []]
                if known.count < Self.addressLimit, !known.contains(address) { known.append(address) }
                table[Self.key(word)] = known
            }
        }
    }

    /// How much of a file is read, in bytes; block lists have a few million.
    static let sizeLimit = 32 << 20
    private static let addressLimit = 1_024

    /// The addresses of a name, IPv4 first; nil when the file does not have it. Letters' case does not matter, nor does
    /// a dot at the end.
    func addresses(of name: String) -> [ResolvedAddress]? {
        var bytes = Array(name.utf8)
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard let found = table[Self.key(bytes[...])] else { return nil }
        return ResolvedAddress.sortedByFamily(found)
    }

    private static func key(_ name: ArraySlice<UInt8>) -> String {
        String(
            decoding: name.lazy.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self
        )
    }
}

/// Addresses where a name may stand, in the hosts file or in a question.
enum AddressLiteral {
    /// Reads an address in dotted or colon notation and leaves out a scope after `%`; nil when it is not an address. An
    /// IPv4-mapped one stays IPv6, as it is in an answer.
    static func read(_ text: some Collection<UInt8>) -> IPAddress? {
        let digits = text.prefix { $0 != UInt8(ascii: "%") }
        guard (2...45).contains(digits.count), !digits.contains(0) else { return nil }
        let isIPv6 = digits.contains(UInt8(ascii: ":"))
        guard isIPv6 || digits.count == text.count else { return nil }
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        let terminated = digits.map { CChar(bitPattern: $0) } + [0]
        guard unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, terminated, &bytes) == 1 else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe IPAddress(networkBytes: $0) }
    }
}
