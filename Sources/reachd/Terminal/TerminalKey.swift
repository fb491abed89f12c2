// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A key of a terminal in raw mode.
enum TerminalKey: Equatable {
    case character(Character)
    case up, down, pageUp, pageDown, home, end
    case enter, backspace, escape
    /// Ctrl-C
    case interrupt
    /// A key without a meaning here.
    case other

    /// Reads the keys of some bytes. What may be the beginning of a key stays.
    ///
    /// - Parameters:
    ///   - bytes: What was read; loses what was understood.
    ///   - isComplete: Whether nothing follows: an escape alone is the key of that name then.
    static func read(_ bytes: inout [UInt8], isComplete: Bool) -> [TerminalKey] {
        var keys: [TerminalKey] = []
        var position = 0
        while position < bytes.count {
            guard let (key, length) = key(bytes[position...], isComplete) else { break }
            keys.append(key)
            position += length
        }
        bytes.removeFirst(position)
        return keys
    }

    /// The first key and its length; nil when more bytes are needed.
    private static func key(_ bytes: ArraySlice<UInt8>, _ isComplete: Bool) -> (TerminalKey, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case 0x03: return (.interrupt, 1)
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case 0x1B: return sequence(bytes, isComplete)
        case 0x20..<0x7F: return (.character(Character(Unicode.Scalar(first))), 1)
        case 0x80...:
            let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1
            guard bytes.count >= length || isComplete else { return nil }
            let text = String(decoding: bytes.prefix(length), as: UTF8.self)
            let isPrintable =
                text.count == 1 && !text.unicodeScalars.contains("\u{FFFD}") && TerminalText.safe(text) == text
            return (isPrintable ? text.first.map(TerminalKey.character) ?? .other : .other, min(length, bytes.count))
        default: return (.other, 1)
        }
    }

    /// `ESC [ … letter`, `ESC O letter` (ECMA-48, xterm).
    private static func sequence(_ bytes: ArraySlice<UInt8>, _ isComplete: Bool) -> (TerminalKey, Int)? {
        let rest = bytes.dropFirst()
        guard let second = rest.first else { return isComplete ? (.escape, 1) : nil }
        guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else { return (.escape, 1) }
        let body = rest.dropFirst()
        guard let end = body.firstIndex(where: { (0x40...0x7E).contains($0) }), end - bytes.startIndex < 16 else {
            return isComplete || bytes.count >= 16 ? (.other, min(bytes.count, 16)) : nil
        }
        let length = end - bytes.startIndex + 1
        switch (String(decoding: body[body.startIndex..<end], as: UTF8.self), bytes[end]) {
        case (_, UInt8(ascii: "A")): return (.up, length)
        case (_, UInt8(ascii: "B")): return (.down, length)
        case (_, UInt8(ascii: "H")), ("1", UInt8(ascii: "~")), ("7", UInt8(ascii: "~")): return (.home, length)
        case (_, UInt8(ascii: "F")), ("4", UInt8(ascii: "~")), ("8", UInt8(ascii: "~")): return (.end, length)
        case ("5", UInt8(ascii: "~")): return (.pageUp, length)
        case ("6", UInt8(ascii: "~")): return (.pageDown, length)
        default: return (.other, length)
        }
    }
}
