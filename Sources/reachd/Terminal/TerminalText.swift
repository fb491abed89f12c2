// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// Makes untrusted text safe for a terminal: it cannot move the cursor, change colours or reverse the line.
enum TerminalText {
    /// The text with control and format characters as `\u{…}`, cut at a number of columns.
    static func safe(_ text: String, limit: Int = 2_048) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else {
                result.append("…")
                break
            }
            count += 1
            if DisplayText.isPrintable(scalar) {
                result.append(scalar)
            } else {
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            }
        }
        return String(result)
    }

    /// Untrusted JSON with control and format characters as escapes of JSON. Its grammar permits some of them unescaped, and only
    /// in strings.
    static func safe(json bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 == 0x7F || $0 >= 0x80 }) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if DisplayText.isPrintable(scalar) || scalar.value < 0x20 {
                result += UTF8.encode(scalar).map(Array.init) ?? []
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
                }
            }
        }
        return result
    }

    /// How many columns a text takes; colours (``Terminal/paint(_:_:)``) take none.
    static func width(_ text: String) -> Int {
        var columns = 0
        var isInColor = false
        for scalar in text.unicodeScalars {
            if isInColor {
                isInColor = scalar != "m"
            } else if scalar == "\u{1B}" {
                isInColor = true
            } else {
                columns += width(scalar)
            }
        }
        return columns
    }

    /// The text, cut with an ellipsis where it would be wider.
    static func cut(_ text: String, to limit: Int) -> String {
        guard width(text) > limit else { return text }
        guard limit > 0 else { return "" }
        var result = String.UnicodeScalarView()
        var used = 0
        for scalar in text.unicodeScalars {
            used += width(scalar)
            guard used < limit else { break }
            result.append(scalar)
        }
        return String(result) + "…"
    }

    /// The text in lines of at most so many columns, broken at blanks; a word that is wider stays whole.
    static func wrapped(_ text: String, to limit: Int?) -> [String] {
        guard let limit, width(text) > limit else { return [text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty, width(line) + 1 + width(String(word)) > limit {
                lines.append(line)
                line = String(word)
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return lines + [line]
    }

    /// A head and the text behind it, wrapped, in lines of at most so many columns.
    ///
    /// - Parameter indent: where further lines begin; nil for under the text.
    static func hanging(_ head: String, _ text: String, indent: Int? = nil, to limit: Int?) -> [String] {
        let indent = indent ?? width(head)
        let room = limit.map { max(20, $0 - max(indent, width(head))) }
        return wrapped(text, to: room).enumerated().map { number, line in
            (number == 0 ? head : String(repeating: " ", count: indent)) + line
        }
    }

    /// The text with blanks behind it up to a width.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - self.width(text)))
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        guard value >= 0x300 else { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: return wide.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// What terminals draw two columns wide: East Asian scripts and pictures.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
    ]
}
