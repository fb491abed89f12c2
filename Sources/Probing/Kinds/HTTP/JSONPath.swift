// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The place of a value in a JSON document: `$`, then `.name`, `["name"]` or `[index]` as often as wanted.
package struct JSONPath: Sendable, Hashable {
    /// One step down.
    enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    /// The text it was made from.
    package let text: String
    let steps: [Step]

    /// Reads a path of at most 1,024 bytes and 64 steps.
    ///
    /// - Throws: ``JSONPathError`` with what is wrong.
    package init(_ text: String) throws(JSONPathError) {
        guard text.utf8.count <= 1_024 else { throw JSONPathError(message: "longer than 1,024 bytes") }
        guard text.first == "$" else { throw JSONPathError(message: "it does not begin with $") }
        var rest = text.dropFirst()
        var steps: [Step] = []
        while let first = rest.popFirst() {
            switch first {
            case ".":
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty else { throw JSONPathError(message: "a . without a name") }
                guard !name.contains("*"), !name.contains("]") else {
                    throw JSONPathError(message: "a name with * or ] is written [\"…\"]")
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
            guard rest.hasPrefix("\(quote)]") else { throw JSONPathError(message: "a [\(quote) without its \(quote)]") }
            rest = rest.dropFirst(2)
            return .member(String(name))
        }
        let digits = rest.prefix { ("0"..."9").contains($0) }
        rest = rest.dropFirst(digits.count)
        guard let index = Int(digits), digits.utf8.count <= 9, rest.popFirst() == "]" else {
            throw JSONPathError(message: "between [ and ] belongs a number, or a name in quotation marks")
        }
        return .element(index)
    }
}

extension JSONPath: CustomStringConvertible {
    /// The text.
    package var description: String { text }
}

/// Why a text is not a path.
package struct JSONPathError: Error, Sendable, Hashable {
    /// One line for people.
    package let message: String
}

extension JSONPathError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
