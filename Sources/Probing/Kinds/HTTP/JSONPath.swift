// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON

/// The path of a value in a JSON document: `$`, followed by any number of `.name`, `["name"]` or `[index]`; a negative index counts from
/// the end (RFC 9535, section 2.3.3).
package struct JSONPath: Sendable, Hashable {
    /// One step of the path.
    enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    /// The text of the path.
    package let text: String
    let steps: [Step]

    /// Parses a path of at most 1,024 bytes and 64 steps.
    ///
    /// - Throws: ``JSONPathError`` with the problem.
    package init(_ text: String) throws(JSONPathError) {
        guard text.utf8.count <= 1_024 else { throw JSONPathError(message: "longer than 1,024 bytes") }
        guard text.first == "$" else {
            let whole = text.first == "[" || text.first == "." ? "$" + text : "$." + text
            let isMeant = !text.isEmpty && (try? JSONPath(whole)) != nil
            throw JSONPathError(message: "does not begin with $", hint: isMeant ? "write \(whole)" : nil)
        }
        var rest = text.dropFirst()
        var steps: [Step] = []
        while let first = rest.popFirst() {
            switch first {
            case ".":
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { throw JSONPathError(message: "a name is missing after .") }
                guard !name.contains("*"), !name.contains("]") else {
                    throw JSONPathError(message: "write a name with * or ] as [\"…\"]")
                }
                rest = rest.dropFirst(name.count)
                steps.append(.member(String(name)))
            case "[":
                steps.append(try Self.bracket(&rest))
            default:
                throw JSONPathError(message: "a step begins with . or [, not with \(first)")
            }
            guard steps.count <= 64 else { throw JSONPathError(message: "more than 64 steps") }
        }
        self.text = text
        self.steps = steps
    }

    private static func bracket(_ rest: inout Substring) throws(JSONPathError) -> Step {
        if let quote = rest.first, quote == "\"" || quote == "'" {
            let name = rest.dropFirst().prefix { $0 != quote }
            rest = rest.dropFirst(name.count + 1)
            guard rest.hasPrefix("\(quote)]") else { throw JSONPathError(message: "[\(quote) lacks its \(quote)]") }
            rest = rest.dropFirst(2)
            return .member(String(name))
        }
        let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "-" }
        rest = rest.dropFirst(digits.count)
        guard let index = Int(digits), digits.utf8.count <= 9, rest.popFirst() == "]" else {
            throw JSONPathError(message: "[ ] needs a number, or a name in quotation marks")
        }
        return .element(index)
    }
}

extension JSONPath: CustomStringConvertible {
    /// The text.
    package var description: String { text }
}

/// The error for an invalid path.
package struct JSONPathError: Error, Sendable, Hashable {
    /// The message: one line for people.
    package let message: String
    /// What was probably meant.
    package let hint: String?

    init(message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension JSONPathError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}

/// The result of looking up a path.
package enum JSONMatch: Hashable {
    /// The path does not exist.
    case nothing
    /// An array or an object, and its place in the document.
    case container(Range<Int>)
    /// A value.
    case scalar(JSONScalar)
}

/// A JSON value for comparisons.
package enum JSONScalar: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array or an object, as ``JSONStructure`` writes it.
    case structure(String)

    /// The value as text, for patterns and people.
    var text: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let value): Int64(exactly: value).map(String.init) ?? String(value)
        case .string(let value), .structure(let value): value
        }
    }
}

extension JSONPath {
    /// Returns the value at the path. The document is untrusted and never built in memory.
    ///
    /// Of members with one name the last counts, as in jq, browsers, Go and Python.
    ///
    /// - Throws: ``JSONError`` for invalid JSON.
    package func find(in bytes: [UInt8]) throws(JSONError) -> JSONMatch {
        var reader = JSONReader(bytes)
        let found = try Self.find(steps[...], &reader)
        try reader.end()
        return found
    }

    private static func find(_ steps: ArraySlice<Step>, _ reader: inout JSONReader) throws(JSONError) -> JSONMatch {
        let kind = try reader.kind()
        switch (steps.first, kind) {
        case (nil, .object), (nil, .array):
            return .container(try reader.skip())
        case (nil, .string): return .scalar(.string(try reader.string()))
        case (nil, .boolean): return .scalar(.boolean(try reader.boolean()))
        case (nil, .number):
            // Double parses every JSON number, as infinity when it is too large.
            return .scalar(.number(Double(try reader.number()) ?? .infinity))
        case (nil, .null):
            try reader.null()
            return .scalar(.null)
        case (.member(let wanted)?, .object):
            var found = JSONMatch.nothing
            try reader.beginObject()
            while let name = try reader.nextName() {
                guard name == wanted else {
                    try reader.skip()
                    continue
                }
                found = try find(steps.dropFirst(), &reader)
            }
            return found
        case (.element(var wanted)?, .array):
            if wanted < 0 { wanted += try Self.count(reader) }
            var found = JSONMatch.nothing
            var index = 0
            try reader.beginArray()
            while try reader.nextElement() {
                if index == wanted { found = try find(steps.dropFirst(), &reader) } else { try reader.skip() }
                index += 1
            }
            return found
        default:
            try reader.skip()
            return .nothing
        }
    }

    /// The number of elements of the array that comes.
    private static func count(_ reader: JSONReader) throws(JSONError) -> Int {
        var reader = reader
        var count = 0
        try reader.beginArray()
        while try reader.nextElement() {
            try reader.skip()
            count += 1
        }
        return count
    }
}
