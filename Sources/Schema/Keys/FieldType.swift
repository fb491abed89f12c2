// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The type of a key's value.
package indirect enum FieldType: Sendable {
    /// `true` or `false`.
    case boolean
    /// A whole number, decimal or hexadecimal with `0x`.
    case integer(ClosedRange<Int>)
    /// A duration such as `500ms`, `30s`, `1h30m`; bounds in milliseconds.
    case duration(milliseconds: ClosedRange<Int>)
    /// A number of bytes, bare or with `KiB`, `MiB`, `GiB`.
    case byteCount(ClosedRange<Int>)
    /// One of a set of words.
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
    /// Text of a form, or a mapping with more settings; in lists only.
    case textOrObject(TextForm, ObjectSchema)

    /// A word of a fixed set.
    package struct Choice: Sendable {
        /// The word.
        package let word: String
        /// Common other words for it, for hints.
        package let synonyms: [String]

        /// Declares a word.
        package init(_ word: String, synonyms: [String] = []) {
            self.word = word
            self.synonyms = synonyms
        }
    }

    /// The expected value, in words, for a diagnostic.
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

    /// Whether a text of this type is the name of a file.
    package func isFile(_ text: String) -> Bool {
        switch self {
        case .text(let form), .oneOrMore(.text(let form)): form.isFile(text)
        default: false
        }
    }

    /// Whether the value can be one scalar, and so an environment variable.
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

extension FieldType {
    /// Reads one scalar of this type. A list of one or more takes it as its only element.
    package func read(_ scalar: ScalarText) throws(Diagnostic) -> ValidatedValue {
        switch self {
        case .boolean:
            return .boolean(try boolean(scalar))
        case .integer(let bounds):
            guard scalar.isBare else { throw quotes(scalar.text, isOfType: Self.number(scalar.text) != nil) }
            guard let number = Self.number(scalar.text) else { throw Diagnostic(.wrongType, "is not \(words)") }
            guard bounds.contains(number) else {
                throw Diagnostic(.outOfRange, "is not between \(bounds.lowerBound) and \(bounds.upperBound)")
            }
            return .integer(number)
        case .duration(let bounds):
            let milliseconds = try DurationText.milliseconds(scalar.text)
            guard bounds.contains(milliseconds) else {
                let lower = DurationText.text(milliseconds: bounds.lowerBound)
                let upper = DurationText.text(milliseconds: bounds.upperBound)
                throw Diagnostic(.outOfRange, "is not between \(lower) and \(upper)")
            }
            return .duration(.milliseconds(milliseconds))
        case .byteCount(let bounds):
            let bytes = try ByteCountText.bytes(scalar.text)
            guard bounds.contains(bytes) else {
                let (lower, upper) = (ByteCountText.text(bounds.lowerBound), ByteCountText.text(bounds.upperBound))
                throw Diagnostic(.outOfRange, "is not between \(lower) and \(upper)")
            }
            return .integer(bytes)
        case .choice(let choices):
            if choices.contains(where: { $0.word == scalar.text }) { return .text(scalar.text) }
            let lowered = scalar.text.lowercased()
            let synonym = choices.first { $0.synonyms.contains(lowered) }?.word
            let nearest = synonym ?? NearestName.of(scalar.text, among: choices.lazy.map(\.word))
            throw Diagnostic("is not one of \(words)", hint: nearest.map { "did you mean \($0)?" })
        case .text(let form), .textOrObject(let form, _):
            return try form.read(scalar.text)
        case .oneOrMore(let element):
            return .list([.init(value: try element.read(scalar), place: scalar.place)])
        case .list, .labels, .object:
            throw Diagnostic(.wrongType, "is text, but \(words) is required")
        }
    }

    private func boolean(_ scalar: ScalarText) throws(Diagnostic) -> Bool {
        switch (scalar.text, scalar.isBare) {
        case ("true", true): return true
        case ("false", true): return false
        case ("true", false), ("false", false): throw quotes(scalar.text, isOfType: true)
        default: break
        }
        let meant: String? =
            switch scalar.text.lowercased() {
            case "yes", "on", "y", "true", "1": "true"
            case "no", "off", "n", "false", "0": "false"
            default: nil
            }
        throw Diagnostic(.wrongType, "is not true or false", hint: meant.map { "write \($0)" })
    }

    private func quotes(_ text: String, isOfType: Bool) -> Diagnostic {
        Diagnostic(
            .wrongType,
            "is text, but \(words) is required",
            hint: isOfType ? "write \(text) without quotes" : nil
        )
    }

    private static func number(_ text: String) -> Int? {
        text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    }
}
