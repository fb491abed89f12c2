// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// The documentation of a type: its bounds, an example and a typical mistake.
extension FieldType {
    /// The allowed values, in words, with bounds and units.
    var bounds: String {
        switch self {
        case .boolean: "`true` or `false`"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range):
            "a duration from \(DurationText.text(milliseconds: range.lowerBound)) to "
                + DurationText.text(milliseconds: range.upperBound)
        case .byteCount(let range):
            "a number of bytes from \(ByteCountText.text(range.lowerBound)) to \(ByteCountText.text(range.upperBound))"
        case .choice(let choices): choices.map { "`\($0.word)`" }.formatted(last: "or")
        case .text(let form): form.description.bounds
        case .labels: "a mapping from at most 64 names to texts of at most 256 bytes"
        case .list(.object(let schema)): "a list of \(schema.link)"
        case .list(let element): "a list; each element is \(element.bounds)"
        case .oneOrMore(let element): "\(element.bounds); or a list of such"
        case .object(let schema): schema.link
        case .textOrObject(let form, let schema): "\(form.description.bounds), or \(schema.link)"
        }
    }

    /// An example as YAML on one line.
    var example: String {
        switch self {
        case .boolean: "true"
        case .integer(let range): "\(min(max(range.lowerBound, 10), range.upperBound))"
        case .duration(let range):
            DurationText.text(milliseconds: min(max(range.lowerBound, 10_000), range.upperBound))
        case .byteCount(let range): ByteCountText.text(min(max(range.lowerBound, 1 << 20), range.upperBound))
        case .choice(let choices): choices.last?.yamlWord ?? ""
        case .text(let form), .textOrObject(let form, _): form.description.example
        case .labels: "{ team: web }"
        case .list(let element): "[ \(element.example) ]"
        case .oneOrMore(let element): element.example
        case .object(let schema):
            "{ "
                + schema.essentials.map { "\($0.name): \($0.example)" }.joined(separator: ", ") + " }"
        }
    }

    /// A typical mistake as YAML on one line.
    var counterexample: String {
        switch self {
        case .boolean: "yes"
        case .integer(let range): range.upperBound < 100_000_000 ? "\(range.upperBound + 1)" : "many"
        case .duration: "30"
        case .byteCount: "64MB"
        case .choice(let choices): choices.lazy.compactMap(\.synonyms.first).first ?? "other"
        case .text(let form), .textOrObject(let form, _): form.description.counterexample
        case .oneOrMore(let element): element.counterexample
        case .labels, .list, .object: "text"
        }
    }
}

extension FieldType.Choice {
    /// The word as YAML, in quotes if it would be read as something else.
    fileprivate var yamlWord: String {
        guard let first = word.utf8.first else { return "\"\"" }
        let isWord = (0x61...0x7a).contains(first) || (0x41...0x5a).contains(first)
        return isWord ? word : "\"\(word)\""
    }
}

extension Field {
    /// An example as YAML on one line.
    var example: String { ownExample ?? type.example }
}

extension ObjectSchema {
    /// The keys of a minimal example; the first one if none is required.
    fileprivate var essentials: [Field] {
        let required = fields.filter(\.isRequired)
        return required.isEmpty ? Array(fields.prefix(1)) : required
    }

    /// The name without its article.
    var title: String {
        for article in ["a ", "an ", "the "] where name.hasPrefix(article) {
            return String(name.dropFirst(article.count))
        }
        return name
    }

    /// The name as an identifier.
    var identifier: String {
        String(title.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    /// The name as a link in the reference.
    fileprivate var link: String {
        let anchor = String(title.lowercased().compactMap { $0 == " " ? "-" : $0 == "'" ? nil : $0 })
        return "[\(name)](#\(anchor))"
    }
}
