// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How much of a YAML text is taken before it is refused.
package struct YAMLLimits: Sendable, Hashable {
    /// How deeply lists and mappings may be nested.
    package var depth = 64
    /// The number of nodes of the whole document, aliases counted as often as they are used. The default holds
    /// 100,000 targets of twenty values each.
    package var nodes = 4_000_000

    /// The defaults.
    package init() {}
}
