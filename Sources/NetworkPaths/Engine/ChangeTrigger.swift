// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What triggered an evaluation: the cause of a change, as far as the kernel's hints show.
public struct ChangeTrigger: Sendable, Hashable {
    /// The kinds of hint; raw values are the HTTP contract's.
    public enum Kind: String, Sendable, Hashable {
        /// The target was added.
        case initial
        /// A link went up, down, lost or found its carrier, appeared, vanished or changed its type.
        case link
        /// An address came, went, or left the tentative state.
        case address
        /// A route came or went.
        case route
        /// A policy rule came or went.
        case rule
        /// A next-hop object came, went or changed.
        case nextHop = "next_hop"
        /// A per-interface kernel setting changed.
        case netconf
        /// A route's lifetime ended.
        case routeExpiry = "route_expiry"
        /// The kernel dropped hints; everything was asked again.
        case overrun
        /// A name's addresses changed.
        case resolution
        /// The resolver's configuration changed.
        case resolver
        /// The engine's own settings changed.
        case settings
    }

    /// The kind of hint.
    public var kind: Kind
    /// The interface that the hint named, where it named one.
    public var interface: String?

    /// Creates a trigger.
    public init(_ kind: Kind, interface: String? = nil) {
        self.kind = kind
        self.interface = interface
    }
}
