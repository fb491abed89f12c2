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

    /// The bytes of a text; nil for any that ``text(_:)`` does not return for a byte or more, such as one with blanks or without
    /// padding.
    package static func bytes(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard !characters.isEmpty, characters.count.isMultiple(of: 4) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3)
        var bits: UInt32 = 0
        for (index, character) in characters.enumerated() {
            guard let digit = digit(character) else { return nil }
            bits = bits << 6 | digit
            guard index % 4 == 3 else { continue }
            for shift in [16, 8, 0] { bytes.append(UInt8(bits >> UInt32(shift) & 255)) }
            bits = 0
        }
        bytes.removeLast(characters.reversed().prefix { $0 == UInt8(ascii: "=") }.prefix(2).count)
        // Misplaced padding, and bits that the padding leaves over, make another text.
        return Self.text(bytes) == text ? bytes : nil
    }

    /// The value of a digit, 0 for padding; nil for another character.
    private static func digit(_ character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character - 0x41)
        case 0x61...0x7A: UInt32(character - 0x61) + 26
        case 0x30...0x39: UInt32(character - 0x30) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        case UInt8(ascii: "="): 0
        default: nil
        }
    }
}
