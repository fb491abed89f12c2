// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What may stand at a key.
package indirect enum FieldType: Sendable {
    /// `true` or `false`.
    case boolean
    /// A whole number, decimal or hexadecimal with `0x`.
    case integer(ClosedRange<Int>)
    /// A duration such as `500ms`, `30s`, `1h30m`; bounds in milliseconds.
    case duration(milliseconds: ClosedRange<Int>)
    /// A number of bytes, bare or with `KiB`, `MiB`, `GiB`.
    case byteCount(ClosedRange<Int>)
    /// One of some words.
    case choice([Choice])
    /// Text of a form.
    case text(TextForm)
    /// A mapping from text to text.
    case labels
    /// A list.
    case list(FieldType)
    /// One value, or a list of such values.
    case oneOrMore(FieldType)
    /// A mapping with keys of its own.
    case object(ObjectSchema)
    /// Text of a form, or a mapping that says more; in lists only.
    case textOrObject(TextForm, ObjectSchema)

    /// A word of a closed set.
    package struct Choice: Sendable {
        /// The word.
        package let word: String
        /// What people write instead, for hints.
        package let synonyms: [String]

        /// Declares a word.
        package init(_ word: String, synonyms: [String] = []) {
            self.word = word
            self.synonyms = synonyms
        }
    }

    /// What is wanted, in words, for a fault.
    package var words: String {
        switch self {
        case .boolean: "true or false"
        case .integer: "a whole number"
        case .duration: "a duration such as 30s"
        case .byteCount: "a size such as 64MiB"
        case .choice(let choices): choices.map(\.word).formatted(last: "or")
        case .text(let form), .textOrObject(let form, _): form.description.words
        case .labels: "a mapping from names to texts"
        case .list: "a list"
        case .oneOrMore(let type): "\(type.words), or a list of such"
        case .object: "a mapping"
        }
    }

    /// Whether a text that may stand there is the name of a file.
    package func isFile(_ text: String) -> Bool {
        switch self {
        case .text(let form), .oneOrMore(.text(let form)): form.isFile(text)
        default: false
        }
    }

    /// Whether one scalar can stand there, and so an environment variable.
    package var takesScalar: Bool {
        switch self {
        case .boolean, .integer, .duration, .byteCount, .choice, .text, .textOrObject: true
        case .oneOrMore(let type): type.takesScalar
        case .labels, .list, .object: false
        }
    }
}

extension [String] {
    /// `a, b or c`.
    package func formatted(last: String) -> String {
        guard count > 1, let end = self.last else { return joined() }
        return "\(dropLast().joined(separator: ", ")) \(last) \(end)"
    }
}
