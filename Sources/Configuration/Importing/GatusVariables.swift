// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// References to environment variables, which Gatus puts into the whole text of its file: `$NAME` and `${NAME}`.
struct GatusVariables {
    /// The variables that were referred to.
    private(set) var names: Set<String> = []

    /// A text with its references as ours are: `${NAME}`, and `$$` for a dollar sign.
    mutating func template(_ text: String) -> String {
        guard text.contains("$") else { return text }
        var result = ""
        var rest = text[...]
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "$" {
                result += "$$"
                rest = rest.dropFirst()
                continue
            }
            let isBraced = rest.first == "{"
            let name = (isBraced ? rest.dropFirst() : rest).prefix {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
            }
            let after = isBraced ? rest.dropFirst(1 + name.count) : rest.dropFirst(name.count)
            guard let first = name.first, !first.isNumber, !isBraced || after.first == "}" else {
                result += "$$"
                continue
            }
            names.insert(String(name))
            result += "${\(name)}"
            rest = isBraced ? after.dropFirst() : after
        }
        return result + rest
    }
}
