// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
