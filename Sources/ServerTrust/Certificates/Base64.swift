// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
    static func encode(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        unsafe reachd_tls_base64_encode(bytes, bytes.count, &text)
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The bytes; nil for what is not Base64 as ``encode(_:)`` writes it, whitespace included.
    static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3 + 3)
        let count = unsafe reachd_tls_base64_decode(characters, characters.count, &bytes)
        guard count >= 0 else { return nil }
        bytes.removeLast(bytes.count - Int(count))
        // OpenSSL takes padding anywhere, and bits in it.
        return encode(bytes) == text ? bytes : nil
    }
}
