// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Finds the members of a JSON object that ``JSONWriter`` wrote, without making values of them.
///
/// What is no such object has no members: it may come from a file that somebody changed.
struct JSONMembers {
    private let bytes: [UInt8]
    private var ranges: [String: Range<Int>] = [:]

    init(of bytes: [UInt8]) {
        self.bytes = bytes
        var position = 1
        guard bytes.first == UInt8(ascii: "{") else { return }
        while position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            guard let nameEnd = Self.end(of: bytes, from: position), nameEnd < bytes.count,
                bytes[nameEnd] == UInt8(ascii: ":"), let end = Self.end(of: bytes, from: nameEnd + 1)
            else { return }
            ranges[String(decoding: bytes[position + 1..<nameEnd - 1], as: UTF8.self)] = nameEnd + 1..<end
            guard end < bytes.count, bytes[end] == UInt8(ascii: ",") else { return }
            position = end + 1
        }
    }

    /// The bytes of a member's value; nil when there is none.
    subscript(name: String) -> [UInt8]? { ranges[name].map { Array(bytes[$0]) } }

    /// The end of the value that begins at a position; nil when it has none.
    private static func end(of bytes: [UInt8], from start: Int) -> Int? {
        var depth = 0
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(bytes, from: position) else { return nil }
                position = end
                if depth == 0 { return end }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // One that was not opened here ends a number or a word.
                if depth == 0 { return position > start ? position : nil }
                depth -= 1
                if depth == 0 { return position + 1 }
            case UInt8(ascii: ","):
                if depth == 0 { return position > start ? position : nil }
            default: break
            }
            position += 1
        }
        return nil
    }

    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int? {
        var position = start + 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\\"): position += 2
            case UInt8(ascii: "\""): return position + 1
            default: position += 1
            }
        }
        return nil
    }
}
