// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON

/// What is at a path of a document.
package enum JSONFinding: Hashable {
    /// There is no such place.
    case nothing
    /// An array or an object.
    case container
    /// A value.
    case scalar(JSONScalar)
}

/// A JSON value that is compared.
package enum JSONScalar: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number.
    case number(Double)
    /// A text.
    case string(String)

    /// As text, for patterns and people.
    var text: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let value): Int64(exactly: value).map(String.init) ?? String(value)
        case .string(let value): value
        }
    }
}

extension JSONPath {
    /// What is at the path. A document is a stranger's: it is never built in memory.
    ///
    /// - Throws: ``JSONError`` for what is no JSON, and where a name on the way stands twice.
    package func find(in bytes: [UInt8]) throws(JSONError) -> JSONFinding {
        var reader = JSONReader(bytes)
        let found = try Self.find(steps[...], &reader)
        try reader.end()
        return found
    }

    private static func find(_ steps: ArraySlice<Step>, _ reader: inout JSONReader) throws(JSONError) -> JSONFinding {
        let kind = try reader.kind()
        switch (steps.first, kind) {
        case (nil, .object), (nil, .array):
            try reader.skip()
            return .container
        case (nil, .string): return .scalar(.string(try reader.string()))
        case (nil, .boolean): return .scalar(.boolean(try reader.boolean()))
        case (nil, .number):
            // Double reads what JSON calls a number, and infinity for one that is too large.
            return .scalar(.number(Double(try reader.number()) ?? .infinity))
        case (nil, .null):
            try reader.null()
            return .scalar(.null)
        case (.member(let wanted)?, .object):
            var found: JSONFinding?
            try reader.beginObject()
            while let name = try reader.nextName() {
                guard name == wanted else {
                    try reader.skip()
                    continue
                }
                guard found == nil else { throw reader.fault("\"\(name.prefix(32))\" is there twice") }
                found = try find(steps.dropFirst(), &reader)
            }
            return found ?? .nothing
        case (.element(let wanted)?, .array):
            var found = JSONFinding.nothing
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
}
