// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Untrusted bytes in a line for people.
package enum PrintableBytes {
    private static let digits = Array("0123456789abcdef".utf8)

    /// At most 64 bytes, with everything but printable ASCII as an escape.
    package static func quote(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = [0x22]
        for byte in bytes.prefix(64) {
            if byte == 0x22 { text.append(0x5C) }
            append(byte, to: &text, keepingBackslash: false)
        }
        text.append(0x22)
        return String(decoding: text, as: UTF8.self) + (bytes.count > 64 ? "…" : "")
    }

    /// The text, with everything but printable ASCII as an escape, and an ellipsis where it would be longer.
    package static func escape(_ bytes: some Collection<UInt8>, limit: Int, keepingBackslash: Bool = false) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            let before = text.count
            append(byte, to: &text, keepingBackslash: keepingBackslash)
            if text.count > limit { return String(decoding: text.prefix(before), as: UTF8.self) + "…" }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Two lower-case digits a byte.
    package static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that hexadecimal digits of either case stand for; nil for anything else.
    package static func bytes(hexadecimal text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.map { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place], let low = digits[place + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    private static func append(_ byte: UInt8, to text: inout [UInt8], keepingBackslash: Bool) {
        switch byte {
        case 0x0A: text += [0x5C, 0x6E]
        case 0x0D: text += [0x5C, 0x72]
        case 0x5C where !keepingBackslash: text += [0x5C, 0x5C]
        case 0x20..<0x7F: text.append(byte)
        default: text += [0x5C, 0x78, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}
