// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// A parsed Gatus condition: `[STATUS] == 200`, `len([BODY].data) < 5`.
struct GatusCondition: Equatable {
    enum Function: String {
        case len, has
    }

    /// The placeholder: `STATUS`, `BODY`.
    let subject: String
    /// The path after the placeholder: `.data[0].name`.
    let path: String
    let function: Function?
    let comparison: String
    /// The values for comparison; several for `any(…)`.
    let values: [String]
    /// Whether the value is a pattern with `*` and `?`.
    let isPattern: Bool

    /// Nil for an invalid condition, or one that compares two placeholders.
    init?(_ text: String) {
        guard let comparison = ["==", "!=", "<=", ">=", "<", ">"].first(where: { text.contains(" \($0) ") }) else {
            return nil
        }
        let sides = text.split(separator: " \(comparison) ", maxSplits: 1)
        guard sides.count == 2 else { return nil }
        var left = sides[0].trimmed
        let right = sides[1].trimmed
        guard !right.hasPrefix("["), !right.hasPrefix("len("), !right.hasPrefix("has(") else { return nil }
        var function: Function?
        for candidate in [Function.len, .has] where left.hasPrefix("\(candidate.rawValue)(") && left.hasSuffix(")") {
            function = candidate
            left = String(left.dropFirst(4).dropLast())
        }
        guard left.hasPrefix("["), let end = left.firstIndex(of: "]") else { return nil }
        subject = String(left[left.index(after: left.startIndex)..<end]).uppercased()
        path = String(left[left.index(after: end)...])
        self.function = function
        self.comparison = comparison
        if right.hasPrefix("pat("), right.hasSuffix(")") {
            isPattern = true
            values = [String(right.dropFirst(4).dropLast())]
        } else if right.hasPrefix("any("), right.hasSuffix(")") {
            isPattern = false
            values = right.dropFirst(4).dropLast().split(separator: ",").map(\.trimmed)
        } else {
            isPattern = false
            values = [right]
        }
        guard !values.isEmpty else { return nil }
    }

    /// The values as one regular expression for the whole text.
    var pattern: String {
        if isPattern {
            var pattern = values[0].literalPattern
            pattern = pattern.split(separator: "\\*", omittingEmptySubsequences: false).joined(separator: ".*")
            pattern = pattern.split(separator: "\\?", omittingEmptySubsequences: false).joined(separator: ".")
            return "^\(pattern)$"
        }
        let literals = values.map(\.literalPattern)
        return literals.count == 1 ? "^\(literals[0])$" : "^(\(literals.joined(separator: "|")))$"
    }

    /// The text of a pattern that only requires its presence: `*text*`.
    var containedText: String? {
        guard isPattern, let value = values.first, value.count > 2, value.hasPrefix("*"), value.hasSuffix("*") else {
            return nil
        }
        let inner = value.dropFirst().dropLast()
        return inner.contains("*") || inner.contains("?") ? nil : String(inner)
    }

    /// Whether a number satisfies it.
    func holds(_ number: Int) -> Bool {
        let numbers = values.compactMap { Int($0) }
        guard let first = numbers.first, numbers.count == values.count else { return false }
        return switch comparison {
        case "==": numbers.contains(number)
        case "!=": !numbers.contains(number)
        case "<": number < first
        case "<=": number <= first
        case ">": number > first
        default: number >= first
        }
    }
}
