// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import FoundationEssentials

/// What both kinds of address have: Apple's `IPAddress`.
public protocol IPAddress: Sendable, CustomDebugStringConvertible {
    /// The bytes in network order: 4 or 16.
    var rawValue: Data { get }
    /// The interface that the address is scoped to; nil for none.
    var interface: NWInterface? { get }
    /// Whether packets to it stay on this machine.
    var isLoopback: Bool { get }
    /// Whether it is meant for one link only.
    var isLinkLocal: Bool { get }
    /// Whether it stands for a group.
    var isMulticast: Bool { get }

    /// Takes bytes in network order; nil unless there are as many as the kind of address has.
    init?(_ rawValue: Data, _ interface: NWInterface?)
    /// Reads an address; nil if the text is none.
    init?(_ string: String)
}
