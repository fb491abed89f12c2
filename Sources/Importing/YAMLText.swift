// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO

/// A YAML value to be written.
indirect enum YAMLText: Sendable, Hashable {
    /// Literal text, including dollar signs, which are escaped when it is written.
    case text(String)
    /// Text in which `${NAME}` refers to a variable and `$$` is a dollar sign.
    case template(String)
    /// A number, a duration or `true`: a word that needs no quotes.
    case word(String)
    /// A list.
    case list([YAMLText])
    /// A mapping with reachd's keys.
    case mapping([(String, YAMLText)])

    static func == (left: Self, right: Self) -> Bool { left.block(0) == right.block(0) }

    func hash(into hasher: inout Hasher) { hasher.combine(block(0)) }

    /// A whole document.
    static func document(_ pairs: [(String, YAMLText)]) -> String {
        pairs.map { "\($0.0):\($0.1.block(0))\n" }.joined()
    }

    /// The same value without keys that only have references to empty variables.
    var withoutNothing: YAMLText {
        switch self {
        case .mapping(let pairs):
            .mapping(pairs.filter { $0.1 != .template("") }.map { ($0.0, $0.1.withoutNothing) })
        case .list(let items): .list(items.map(\.withoutNothing))
        case .text, .template, .word: self
        }
    }

    /// The same value, in which some variables are empty when they are not set: `${NAME:-}`.
    func defaulting(_ names: Set<String>) -> YAMLText {
        switch self {
        case .template(let text): .template(Self.defaulting(text, names))
        case .list(let items): .list(items.map { $0.defaulting(names) })
        case .mapping(let pairs): .mapping(pairs.map { ($0.0, $0.1.defaulting(names)) })
        case .text, .word: self
        }
    }

    private static func defaulting(_ text: String, _ names: Set<String>) -> String {
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            let after = rest.index(after: dollar)
            result += rest[...dollar]
            rest = rest[after...]
            if rest.first == "{", let end = rest.firstIndex(of: "}") {
                result += rest[..<end] + (names.contains(String(rest[..<end].dropFirst())) ? ":-" : "")
                rest = rest[end...]
            } else if rest.first == "$" {
                result += "$"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    /// What follows a key or a dash, with its lines indented.
    private func block(_ indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        switch self {
        case .text(let text):
            return " "
                + Self.scalar(text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$"))
        case .template(let text): return " " + Self.scalar(text)
        case .word(let word): return " " + word
        case .list(let items):
            guard !items.isEmpty else { return " []" }
            return items.map { item in
                guard case .mapping(let pairs) = item, let first = pairs.first else {
                    return "\n\(margin)  -\(item.block(indent + 4))"
                }
                let lines = pairs.dropFirst().map { "\n\(margin)    \(Self.key($0.0)):\($0.1.block(indent + 4))" }
                return "\n\(margin)  - \(Self.key(first.0)):\(first.1.block(indent + 4))" + lines.joined()
            }.joined()
        case .mapping(let pairs):
            guard !pairs.isEmpty else { return " {}" }
            return pairs.map { "\n\(margin)  \(Self.key($0.0)):\($0.1.block(indent + 2))" }.joined()
        }
    }

    /// One of reachd's keys, or a foreign one: a header's name, a label.
    private static func key(_ text: String) -> String {
        isPlain(text)
            ? text : scalar(text.split(separator: "$", omittingEmptySubsequences: false).joined(separator: "$$"))
    }

    private static func scalar(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

    /// Whether a text can be written without quotes and remains that text for every YAML reader.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
        let isLetter = (0x41...0x5a).contains(first) || (0x61...0x7a).contains(first) || first == UInt8(ascii: "/")
        let isSafe = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || "-_./".utf8.contains(byte)
        }
        let words: Set = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        return isLetter && isSafe && !words.contains(text.lowercased())
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                if DisplayText.isPrintable(scalar) {
                    quoted.unicodeScalars.append(scalar)
                } else {
                    let digits = String(scalar.value, radix: 16)
                    quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
                }
            }
        }
        return quoted + "\""
    }
}
