// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A metric's name, type and meaning.
struct MetricFamily: Sendable {
    /// A type as the text format names it.
    enum Kind: Sendable {
        case counter, gauge, histogram
        /// A gauge that is always 1 and tells by its labels.
        case info
    }

    /// The name without the suffix of its type: `_total`, `_info`, `_bucket`.
    let name: StaticString
    let kind: Kind
    let help: StaticString

    init(_ name: StaticString, kind: Kind = .gauge, _ help: StaticString) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}
