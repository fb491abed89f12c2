// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A JSON value that is compared.
public enum JSONScalar: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number.
    case number(Double)
    /// A text.
    case string(String)

    /// As text, for patterns and people.
    var text: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let value): Int64(exactly: value).map(String.init) ?? String(value)
        case .string(let value): value
        }
    }
}
