// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The kinds of event that the log keeps; raw values are the HTTP contract's.
package enum EventType: String, Sendable, Hashable, CaseIterable {
    /// A delivery in SystemConfiguration's sense (R57), AFNetworking's did-change notification (R20).
    case reachability
    /// Something of the path changed: interface, gateway, source address, or what no delivery tells.
    case path
    /// A target went from one state to another.
    case state
    /// A target shows another certificate than before.
    case certificate
    /// A target was added, changed or removed.
    case target
    /// The configuration was loaded again, or refused.
    case config
}
