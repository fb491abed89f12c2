// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// An expectation for one value of a JSON document.
package struct JSONExpectation: Sendable, Hashable {
    /// The condition.
    package enum Condition: Sendable, Hashable {
        /// The value exists, of any type.
        case exists
        /// The value does not exist.
        case absent
        /// The comparison holds.
        case compares(JSONComparison, JSONScalar)
        /// The text matches; numbers and booleans are matched in JSON's notation.
        case matches(ProbePattern)
    }

    /// The path of the value.
    package var path: JSONPath
    /// The condition.
    package var condition: Condition

    /// Creates an expectation.
    package init(_ path: JSONPath, _ condition: Condition) {
        self.path = path
        self.condition = condition
    }

    /// Returns a description of the mismatch; nil when the value is as expected.
    ///
    /// - Parameter document: The document in which it was found.
    func mismatch(about found: JSONMatch, in document: [UInt8] = []) -> String? {
        switch (condition, found) {
        case (.exists, .nothing): return "there is no \(path)"
        case (.exists, _), (.absent, .nothing): return nil
        case (.absent, _): return "there is a \(path)"
        case (_, .nothing): return "there is no \(path)"
        case (.compares(let comparison, .structure(let wanted)), .container(let place)):
            let value = document[place]
            return comparison.holds(.structure(JSONStructure.text(value) ?? ""), .structure(wanted))
                ? nil : "\(path) is \(PrintableBytes.escape(value, limit: 200)), not \(comparison.rawValue) \(wanted)"
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

/// A comparison of a document's value with the expected one.
package enum JSONComparison: String, Sendable, Hashable, CaseIterable {
    /// Same value and type.
    case equal = "=="
    /// Another value or type.
    case notEqual = "!="
    /// A smaller number.
    case less = "<"
    /// A number that is not greater.
    case lessOrEqual = "<="
    /// A greater number.
    case greater = ">"
    /// A number that is not smaller.
    case greaterOrEqual = ">="

    /// Returns whether the comparison holds; ordering comparisons never hold for values other than numbers.
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
