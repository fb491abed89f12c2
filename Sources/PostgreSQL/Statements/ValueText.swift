// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// PostgreSQL's text forms of values; nil for anything else.
enum ValueText {
    static func integer(_ text: ArraySlice<UInt8>) -> Int64? {
        // No more digits than the type can have.
        guard text.count <= 20, text.first != 0x2B else { return nil }
        return Int64(String(decoding: text, as: UTF8.self))
    }

    static func double(_ text: ArraySlice<UInt8>) -> Double? {
        guard text.count <= 400 else { return nil }
        let word = String(decoding: text, as: UTF8.self)
        switch word {
        case "NaN": return .nan
        case "Infinity": return .infinity
        case "-Infinity": return -.infinity
        default:
            // Swift would read more than PostgreSQL writes: hexadecimal numbers and `inf`.
            guard text.allSatisfy({ (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }) else {
                return nil
            }
            return Double(word)
        }
    }

    static func bool(_ text: ArraySlice<UInt8>) -> Bool? {
        guard text.count == 1 else { return nil }
        switch text.first {
        case 0x74: return true
        case 0x66: return false
        default: return nil
        }
    }

    static func bytes(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2), text.starts(with: [0x5C, 0x78]) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2 - 1)
        var place = text.startIndex + 2
        while place < text.endIndex {
            guard let high = digit(text[place]), let low = digit(text[place + 1]) else { return nil }
            bytes.append(high << 4 | low)
            place += 2
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x57
        case 0x41...0x46: byte - 0x37
        default: nil
        }
    }
}
