// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Base64 (RFC 4648, section 4). Any thread.
package enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text for bytes, on one line and padded.
    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let piece = bytes[start..<min(start + 3, bytes.count)]
            let bits = piece.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - piece.count))
            for index in 0..<4 {
                let shift = UInt32(18 - 6 * index)
                text.append(index <= piece.count ? digits[Int(bits >> shift & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
