// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// Replaces `${NAME}` and `${NAME:-default}` by the environment's values, and `$$` by `$`.
///
/// A variable's value is text and never YAML. A `$` before anything else is literal. An empty variable takes the
/// default, as in a shell.
enum Substitution {
    /// - Returns: The text, and the names of its variables.
    static func replace(
        in text: String,
        environment: [String: String]
    ) throws(Diagnostic) -> (text: String, names: [String]) {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return (text, []) }
        var result = ""
        var names: [String] = []
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "$" {
                result += "$"
                rest = rest.dropFirst()
                continue
            }
            guard rest.first == "{" else {
                result += "$"
                continue
            }
            guard let end = rest.firstIndex(of: "}") else {
                throw Diagnostic(.badReference, "has ${ without }", hint: "write $$ for a dollar sign")
            }
            let reference = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            let (name, standard) = split(reference)
            guard isName(name) else {
                throw Diagnostic(
                    .badReference,
                    "has ${ without the name of a variable",
                    hint: "write ${NAME} or ${NAME:-default}, and $$ for a dollar sign"
                )
            }
            names.append(name)
            if let value = environment[name], !(value.isEmpty && standard != nil) {
                result += value
            } else if let standard {
                result += standard
            } else {
                throw Diagnostic(
                    .unsetVariable,
                    "refers to the variable \(name), which is not set",
                    hint: "set it, or write ${\(name):-default}"
                )
            }
        }
        return (result + rest, names)
    }

    private static func split(_ reference: Substring) -> (name: String, defaultValue: String?) {
        guard let colon = reference.firstIndex(of: ":") else { return (String(reference), nil) }
        let after = reference[reference.index(after: colon)...]
        guard after.first == "-" else { return (String(reference), nil) }
        return (String(reference[..<colon]), String(after.dropFirst()))
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first), name.utf8.count <= 256 else { return false }
        return name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                || (0x61...0x7a).contains(byte)
        }
    }
}
