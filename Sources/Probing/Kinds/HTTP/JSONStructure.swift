// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON

/// Writes arrays and objects so that those of equal value have the same text: without blanks, numbers by their value, members by their
/// names. Of members with one name the last counts.
enum JSONStructure {
    /// The values that are compared at most: expected texts are short.
    private static let limits = JSONLimits(values: 4_096)

    /// - Returns: nil for what is neither an array nor an object, is not JSON, or has too many values.
    static func text(_ bytes: some Sequence<UInt8>) -> String? {
        var reader = JSONReader(Array(bytes), limits: limits)
        do throws(JSONError) {
            guard [.array, .object].contains(try reader.kind()) else { return nil }
            let text = try value(&reader)
            try reader.end()
            return text
        } catch {
            return nil
        }
    }

    private static func value(_ reader: inout JSONReader) throws(JSONError) -> String {
        switch try reader.kind() {
        case .null:
            try reader.null()
            return "null"
        case .boolean: return try reader.boolean() ? "true" : "false"
        case .number: return JSONScalar.number(Double(try reader.number()) ?? .infinity).text
        case .string: return JSONWriter.quoted(try reader.string())
        case .array:
            var elements: [String] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try value(&reader)) }
            return "[" + elements.joined(separator: ",") + "]"
        case .object:
            var members: [String: String] = [:]
            try reader.beginObject()
            while let name = try reader.nextName() { members[name] = try value(&reader) }
            let texts = members.sorted { $0.key < $1.key }.map { JSONWriter.quoted($0.key) + ":" + $0.value }
            return "{" + texts.joined(separator: ",") + "}"
        }
    }
}
