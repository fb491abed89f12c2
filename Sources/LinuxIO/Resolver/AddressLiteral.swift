// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
internal import CLinux

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
