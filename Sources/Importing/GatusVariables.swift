// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// References to environment variables, which Gatus replaces in the whole text of its file by Go's `os.ExpandEnv`:
/// `$NAME` and `${NAME}`, with `$$` for a dollar sign. An unset variable is empty there.
struct GatusVariables {
    /// The referenced variables.
    private(set) var names: Set<String> = []
    /// Those of them that begin a URL: scheme and host are in them.
    var urls: Set<String> = []
    /// Those of them that are a port.
    var ports: Set<String> = []
    /// References to invalid names, `$1` and `${A:-b}`, which become empty.
    private(set) var empty: Set<String> = []

    /// A text with its references in reachd's format: `${NAME}`, and `$$` for a dollar sign.
    mutating func template(_ text: String) -> String {
        guard text.contains("$") else { return text }
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            guard let first = rest.first else {
                result += "$$"
                break
            }
            if first == "$" {
                result += "$$"
                rest = rest.dropFirst()
                continue
            }
            var length = 1
            var name = Substring()
            if first == "{" {
                // Without an end only the beginning is removed.
                if let end = rest.firstIndex(of: "}") {
                    name = rest[..<end].dropFirst()
                    length = name.count + 2
                }
            } else if "*#@!?-0123456789".contains(first) {
                name = rest.prefix(1)
            } else {
                name = rest.prefix(while: Self.isPartOfName)
                length = name.count
                guard length > 0 else {
                    result += "$$"
                    continue
                }
            }
            if let letter = name.first, name.utf8.count <= 256, !letter.isNumber, name.allSatisfy(Self.isPartOfName) {
                names.insert(String(name))
                result += "${\(name)}"
            } else {
                empty.insert("$\(rest.prefix(length))")
            }
            rest = rest.dropFirst(length)
        }
        return result + rest
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    /// The variable at the beginning of a template, which must have the scheme of a URL if the rest has none.
    static func first(of template: String) -> String? {
        guard template.hasPrefix("${"), let end = template.firstIndex(of: "}") else { return nil }
        let rest = template[template.index(after: end)...]
        guard !rest.hasPrefix("://"), rest.isEmpty || "/?:#.-".contains(rest.first ?? "/") || rest.hasPrefix("$") else {
            return nil
        }
        return String(template[..<end].dropFirst(2))
    }

    /// Adds other references.
    mutating func formUnion(_ other: GatusVariables) {
        names.formUnion(other.names)
        urls.formUnion(other.urls)
        ports.formUnion(other.ports)
        empty.formUnion(other.empty)
    }

    /// Remembers the variable of a port.
    mutating func port(_ port: YAMLText) -> YAMLText {
        if case .template(let text) = port, text.hasPrefix("${"), text.hasSuffix("}") {
            ports.insert(String(text.dropFirst(2).dropLast()))
        }
        return port
    }
}
