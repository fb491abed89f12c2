// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux

/// Addresses as text, `inet_pton(3)` and `inet_ntop(3)`.
enum AddressLiteral {
    /// The bytes of an address in dotted or colon notation, a scope after `%` left out; nil when it is none.
    static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
        let digits = text.prefix { $0 != UInt8(ascii: "%") }
        guard (2...45).contains(digits.count), !digits.contains(0) else { return nil }
        let isIPv6 = digits.contains(UInt8(ascii: ":"))
        guard isIPv6 || digits.count == text.count else { return nil }
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        let terminated = digits.map { CChar(bitPattern: $0) } + [0]
        return unsafe inet_pton(isIPv6 ? AF_INET6 : AF_INET, terminated, &bytes) == 1 ? bytes : nil
    }

    /// The text of 4 or 16 bytes.
    static func text(of bytes: [UInt8]) -> String {
        var buffer = [UInt8](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        let isDone = unsafe buffer.withUnsafeMutableBytes { target in
            unsafe inet_ntop(family, bytes, target.baseAddress, socklen_t(target.count)) != nil
        }
        return isDone ? String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self) : ""
    }
}
