// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Bytes of a stranger in a line for people.
enum PrintableBytes {
    /// At most 64 bytes, with everything but printable ASCII as an escape.
    static func quote(_ bytes: some Collection<UInt8>) -> String {
        var text = "\""
        for byte in bytes.prefix(64) {
            switch byte {
            case 0x0A: text += "\\n"
            case 0x0D: text += "\\r"
            case 0x22, 0x5C: text += "\\" + String(UnicodeScalar(byte))
            case 0x20..<0x7F: text.unicodeScalars.append(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16)
                text += "\\x" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return text + (bytes.count > 64 ? "\"…" : "\"")
    }
}
