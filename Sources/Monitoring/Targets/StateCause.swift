// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where the fault lies when a target is not up; raw values are the HTTP contract's.
package enum StateCause: String, Sendable, Hashable, CaseIterable {
    /// The target itself.
    case target
    /// This machine's network.
    case localNetwork = "local_network"
    /// The name's resolution.
    case dns
    /// Something that the target depends on.
    case parent
    /// reachd: it has not looked yet, or was not allowed to.
    case `self` = "self"
}
