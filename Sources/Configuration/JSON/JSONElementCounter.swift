// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Counts how many elements a list of a JSON text has without reading the text: a client's list may be far longer than what is
/// taken, and its values would be a hundred times larger than its bytes.
///
/// The text may be no JSON at all; who reads it says so. Names are compared as they are written: one with escapes is not found.
enum JSONElementCounter {
    /// The length of the list that stands at a name in the outermost object; of the longest, when the name stands twice; 0 when
    /// there is none.
    ///
    /// - Parameter limit: Where counting ends; the result is one more then.
    static func count(of name: StaticString, in bytes: [UInt8], upTo limit: Int) -> Int {
        let wanted = Array(name.description.utf8)
        var longest = 0
        var count = 0
        var depth = 0
        var isNamed = false
        var isInside = false
        var offset = 0
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                let start = offset + 1
                offset = end(ofStringAt: start, in: bytes)
                if depth == 1 { isNamed = bytes[start..<min(offset, bytes.count)].elementsEqual(wanted) }
                if isInside, depth == 2, count == 0 { count = 1 }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if depth == 1, isNamed, bytes[offset] == UInt8(ascii: "[") {
                    isInside = true
                    count = 0
                } else if isInside, depth == 2, count == 0 {
                    count = 1
                }
                depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                if depth == 1 {
                    longest = max(longest, count)
                    (isInside, isNamed) = (false, false)
                }
            case UInt8(ascii: ","):
                if depth == 1 { isNamed = false }
                guard isInside, depth == 2 else { break }
                count = max(count, 1) + 1
                if count > limit { return count }
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ":"):
                break
            default:
                if isInside, depth == 2, count == 0 { count = 1 }
            }
            offset += 1
        }
        return max(longest, count)
    }

    /// Where a string's closing quote is, or the end of the text.
    private static func end(ofStringAt start: Int, in bytes: [UInt8]) -> Int {
        var offset = start
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return offset
    }
}
