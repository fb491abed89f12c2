// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What must hold for one value of a JSON document.
package struct JSONExpectation: Sendable, Hashable {
    /// What must hold.
    package enum Condition: Sendable, Hashable {
        /// There is such a value, of any type.
        case exists
        /// There is none.
        case absent
        /// It compares like this.
        case compares(JSONComparison, JSONScalar)
        /// Its text matches; a number's or a truth value's text is as JSON writes it.
        case matches(ProbePattern)
    }

    /// Where the value is.
    package var path: JSONPath
    /// What must hold.
    package var condition: Condition

    /// Creates an expectation.
    package init(_ path: JSONPath, _ condition: Condition) {
        self.path = path
        self.condition = condition
    }

    /// What is wrong with what was found at the path; nil for nothing.
    func mismatch(about found: JSONMatch) -> String? {
        switch (condition, found) {
        case (.exists, .nothing): return "there is no \(path)"
        case (.exists, _), (.absent, .nothing): return nil
        case (.absent, _): return "there is a \(path)"
        case (_, .nothing): return "there is no \(path)"
        case (_, .container): return "\(path) is an array or object"
        case (.compares(let comparison, let wanted), .scalar(let value)):
            return comparison.holds(value, wanted)
                ? nil : "\(path) is \(Self.quote(value)), not \(comparison.rawValue) \(Self.quote(wanted))"
        case (.matches(let pattern), .scalar(let value)):
            return pattern.matches(value.text)
                ? nil
                : "\(path) is \(Self.quote(value)), which does not match \(PrintableBytes.quote(pattern.text.utf8))"
        }
    }

    private static func quote(_ value: JSONScalar) -> String {
        if case .string(let text) = value { return PrintableBytes.quote(text.utf8) }
        return value.text
    }
}

/// How a value of a document is compared with an expected one.
package enum JSONComparison: String, Sendable, Hashable, CaseIterable {
    /// The same, of the same type.
    case equal = "=="
    /// Another one, or of another type.
    case notEqual = "!="
    /// A smaller number.
    case less = "<"
    /// A number that is not greater.
    case lessOrEqual = "<="
    /// A greater number.
    case greater = ">"
    /// A number that is not smaller.
    case greaterOrEqual = ">="

    /// Whether it holds; of what is not a number nothing is smaller or greater.
    func holds(_ left: JSONScalar, _ right: JSONScalar) -> Bool {
        switch self {
        case .equal: return left == right
        case .notEqual: return left != right
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard case (.number(let left), .number(let right)) = (left, right) else { return false }
            return switch self {
            case .less: left < right
            case .lessOrEqual: left <= right
            case .greater: left > right
            default: left >= right
            }
        }
    }
}
