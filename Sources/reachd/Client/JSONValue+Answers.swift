// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// A part of a service's answer. Nothing is believed of it: what is missing or of another type is nil.
extension JSONValue {
    /// What is at a path of names.
    subscript(_ path: String...) -> JSONValue? {
        var found = self
        for name in path {
            guard let next = found.member(name) else { return nil }
            found = next
        }
        return found
    }

    /// The text that it is.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The text that it is, safe for a terminal.
    var words: String? { text.map { TerminalText.safe($0) } }

    /// The number that it is.
    var number: Double? {
        guard case .number(let digits) = self, let number = Double(digits), number.isFinite else { return nil }
        return number
    }

    /// The whole number that it is; nil for one that another program may have rounded (RFC 8259, section 6). Sums of these do not
    /// overflow, whatever the server sends.
    var integer: Int? {
        guard case .number(let digits) = self, let number = Int(digits), number.magnitude < 1 << 53 else { return nil }
        return number
    }

    /// Whether it is true or false.
    var boolean: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The moment that it is.
    var moment: Timestamp? { text.flatMap { Timestamp(parsing: $0) } }

    /// The elements of the list that it is.
    var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of the object that it is.
    var members: [(name: String, value: JSONValue)]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// Itself in one line, members sorted by their names: equal values are equal texts.
    var canonical: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .string(let text): "\"\(text)\""
        case .array(let elements): "[" + elements.map(\.canonical).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\($0.name): \($0.value.canonical)" }.sorted().joined(separator: ", ") + "}"
        }
    }
}
