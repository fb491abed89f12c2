// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One level of a text, whose parts stay the bytes that they are.
extension JSONReader {
    /// The members of an object, each with the bytes of its value.
    ///
    /// - Throws: ``JSONError`` for a text that is not an object, is followed by another, or has a member twice.
    package static func members(
        of bytes: [UInt8],
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) -> [String: ArraySlice<UInt8>] {
        var reader = JSONReader(bytes, limits: limits)
        var members: [String: ArraySlice<UInt8>] = [:]
        try reader.beginObject()
        while let name = try reader.nextName() {
            guard members.updateValue(bytes[try reader.skip()], forKey: name) == nil else {
                throw reader.fault("\"\(name.prefix(32))\" occurs twice")
            }
        }
        try reader.end()
        return members
    }

    /// The elements of an array, each as its bytes.
    ///
    /// - Throws: ``JSONError`` for a text that is not an array, or is followed by another.
    package static func elements(of bytes: [UInt8]) throws(JSONError) -> [ArraySlice<UInt8>] {
        var reader = JSONReader(bytes)
        var elements: [ArraySlice<UInt8>] = []
        try reader.beginArray()
        while try reader.nextElement() { elements.append(bytes[try reader.skip()]) }
        try reader.end()
        return elements
    }

    /// The text that a value is.
    ///
    /// - Throws: ``JSONError`` for a text that is not a string, or is followed by another.
    package static func text(of bytes: some Sequence<UInt8>) throws(JSONError) -> String {
        var reader = JSONReader(Array(bytes))
        let text = try reader.string()
        try reader.end()
        return text
    }

    /// The length of the array that stands at a name in the outermost object, without making values of it: a client's list may be
    /// far longer than what is taken, and its values would be a hundred times larger than its bytes.
    ///
    /// Invalid JSON has the length before the fault.
    ///
    /// - Parameter limit: Where counting ends; the result is one more then.
    /// - Returns: Of several arrays at the name the longest; 0 when there is none.
    package static func count(of name: String, in bytes: [UInt8], upTo limit: Int) -> Int {
        var reader = JSONReader(bytes)
        var longest = 0
        do throws(JSONError) {
            guard try reader.kind() == .object else { return 0 }
            try reader.beginObject()
            while let found = try reader.nextName() {
                guard found == name, try reader.kind() == .array else {
                    try reader.skip()
                    continue
                }
                var count = 0
                try reader.beginArray()
                while try reader.nextElement() {
                    count += 1
                    longest = max(longest, count)
                    if count > limit { return count }
                    try reader.skip()
                }
            }
        } catch {
            // Whoever reads it reports what is wrong.
        }
        return longest
    }
}
