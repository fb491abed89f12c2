// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A JSON value as a tree, for what is small or trusted to be: a service's answers, documents that are written.
package indirect enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    /// A number as it is written.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// Members in their order.
    case object([(name: String, value: JSONValue)])

    /// A whole number.
    package static func integer(_ number: Int) -> JSONValue { .number("\(number)") }

    /// Reads a text.
    ///
    /// - Throws: ``JSONError``, also for an object that names a member twice.
    package init(reading bytes: [UInt8], limits: JSONLimits = JSONLimits(values: 4_000_000)) throws(JSONError) {
        var reader = JSONReader(bytes, limits: limits)
        self = try Self.value(&reader)
        try reader.end()
    }

    private static func value(_ reader: inout JSONReader) throws(JSONError) -> JSONValue {
        switch try reader.kind() {
        case .null:
            try reader.null()
            return .null
        case .boolean: return .boolean(try reader.boolean())
        case .number: return .number(try reader.number())
        case .string: return .string(try reader.string())
        case .array:
            var elements: [JSONValue] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try value(&reader)) }
            return .array(elements)
        case .object:
            var members: [(name: String, value: JSONValue)] = []
            var names: Set<String> = []
            try reader.beginObject()
            while let name = try reader.nextName() {
                guard names.insert(name).inserted else { throw reader.fault("\"\(name.prefix(32))\" occurs twice") }
                members.append((name, try value(&reader)))
            }
            return .object(members)
        }
    }

    /// The member with a name; nil without one, and for a value that is not an object.
    package func member(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The text, two spaces a level, without a line end; what is short and has no depth stands on one line.
    package func formatted(indent: Int = 0) -> String {
        switch self {
        case .null: return "null"
        case .boolean(let boolean): return boolean ? "true" : "false"
        case .number(let text): return text
        case .string(let string): return JSONWriter.quoted(string)
        case .array(let elements):
            return Self.lines(elements.map { $0.formatted(indent: indent + 2) }, between: ("[", "]"), indent: indent)
        case .object(let members):
            let texts = members.map { "\(JSONWriter.quoted($0.name)): \($0.value.formatted(indent: indent + 2))" }
            return Self.lines(texts, between: ("{", "}"), indent: indent)
        }
    }

    private static func lines(_ texts: [String], between brackets: (String, String), indent: Int) -> String {
        guard !texts.isEmpty else { return brackets.0 + brackets.1 }
        let line = texts.joined(separator: ", ")
        if line.utf8.count + indent <= 110, !line.utf8.contains(UInt8(ascii: "\n")) {
            return "\(brackets.0) \(line) \(brackets.1)"
        }
        let margin = String(repeating: " ", count: indent)
        return brackets.0 + "\n" + texts.map { "\(margin)  \($0)" }.joined(separator: ",\n") + "\n" + margin
            + brackets.1
    }
}
