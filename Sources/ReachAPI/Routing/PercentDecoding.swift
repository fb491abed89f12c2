// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Strict percent-decoding: invalid encodings are refused, never passed on.
enum PercentDecoding {
    /// Decodes a path segment or a query's name or value.
    ///
    /// - Parameters:
    ///   - text: the raw text.
    ///   - plusIsSpace: whether `+` is a space, as in the queries of browsers and curl.
    /// - Returns: nil for `%` without two hexadecimal digits, bytes that are not UTF-8, or control characters.
    static func decode(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String? {
        var whole = Substring(text)
        if whole.withUTF8({ unsafe $0.allSatisfy(isPlain) }) { return String(whole) }
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            default:
                bytes.append(byte)
            }
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "+")
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
