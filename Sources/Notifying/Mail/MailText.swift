// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Schema

/// Forms of text in mail.
enum MailText {
    /// Lines of encoded text have at most so many characters (RFC 2045, section 6.7, and RFC 2047, section 2).
    private static let lineLimit = 76

    /// A text as quoted-printable (RFC 2045, section 6.7): printable ASCII in lines of at most 76 characters. Line feeds become CRLF,
    /// other control characters but tabs are left out.
    static func quotedPrintable(_ text: String) -> String {
        var result = ""
        var length = 0
        func append(_ piece: String) {
            // The last column is for the mark of a line that goes on.
            if length + piece.utf8.count > lineLimit - 1 {
                result += "=\r\n"
                length = 0
            }
            result += piece
            length += piece.utf8.count
        }
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            let endsLine = index + 1 == bytes.count || bytes[index + 1] == 0x0A
            switch byte {
            case 0x0A:
                result += "\r\n"
                length = 0
            case 0x20, 0x09: append(endsLine ? escaped(byte) : String(UnicodeScalar(byte)))
            case 0x21...0x3C, 0x3E...0x7E: append(String(UnicodeScalar(byte)))
            case 0x3D, 0x80...: append(escaped(byte))
            default: break
            }
        }
        return result
    }

    /// A text as the value of a header: encoded words in UTF-8 and Base64 (RFC 2047), each on a line of its own. Control characters
    /// become blanks.
    static func encodedWords(_ text: String) -> String {
        let (prefix, suffix) = ("=?UTF-8?B?", "?=")
        // Base64 makes four characters of three bytes. The first line also has the header's name.
        let room = (lineLimit - 12 - prefix.utf8.count - suffix.utf8.count) / 4 * 3
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            let bytes = Array(String(isControl ? " " : scalar).utf8)
            if words[words.count - 1].count + bytes.count > room { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "\(prefix)\(Base64.text($0))\(suffix)" }.joined(separator: "\r\n ")
    }

    /// A moment as mail has it, in UTC: `Wed, 25 Nov 2026 22:27:00 +0000` (RFC 5322, section 3.3).
    static func date(_ moment: Timestamp) -> String {
        let text = moment.description
        let digits = text.split { "-T:.Z".contains($0) }.map(String.init)
        guard digits.count >= 6, let month = Int(digits[1]), (1...12).contains(month) else { return text }
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // 1 January 1970 was a Thursday.
        let days = Int((Double(moment.milliseconds) / 86_400_000).rounded(.down))
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((days % 7) + 7) % 7]
        let time = digits[3...5].joined(separator: ":")
        return "\(weekday), \(digits[2]) \(names[month - 1]) \(digits[0]) \(time) +0000"
    }

    private static func escaped(_ byte: UInt8) -> String { "=\(PrintableBytes.hexadecimal([byte]).uppercased())" }
}
