// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A query parameter that a route knows.
struct QueryParameter: Sendable, Hashable {
    /// How often it may stand in a query.
    enum Style: Sendable, Hashable {
        /// Once, one value.
        case single
        /// Once, values with commas between them.
        case list
        /// Any number of times, one value each.
        case repeated
    }

    let name: String
    let style: Style

    init(_ name: String, _ style: Style = .single) {
        self.name = name
        self.style = style
    }
}
