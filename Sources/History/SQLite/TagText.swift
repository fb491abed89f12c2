// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Labels in one column: lines of `name=value`, sorted; `\\`, `\e` and `\n` stand for a backslash, an equals sign and a line's end
/// in them.
enum TagText {
    /// Nil for none.
    static func text(_ tags: [String: String]) -> String? {
        guard !tags.isEmpty else { return nil }
        let lines = tags.sorted { $0.key < $1.key }.map { "\(escaped($0.key))=\(escaped($0.value))" }
        return lines.joined(separator: "\n")
    }

    static func tags(_ text: String?) -> [String: String] {
        guard let text else { return [:] }
        let pairs = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).compactMap { line in
            line.firstIndex(of: 0x3d).map { (plain(line[..<$0]), plain(line[line.index(after: $0)...])) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func escaped(_ text: String) -> String {
        let needsNone = text.utf8.allSatisfy { $0 != 0x0a && $0 != 0x3d && $0 != 0x5c }
        if needsNone { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x0a: bytes += [0x5c, UInt8(ascii: "n")]
            case 0x3d: bytes += [0x5c, UInt8(ascii: "e")]
            case 0x5c: bytes += [0x5c, 0x5c]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func plain(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text {
            switch (isEscaped, byte) {
            case (false, 0x5c):
                isEscaped = true
                continue
            case (true, UInt8(ascii: "n")): bytes.append(0x0a)
            case (true, UInt8(ascii: "e")): bytes.append(0x3d)
            default: bytes.append(byte)
            }
            isEscaped = false
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
