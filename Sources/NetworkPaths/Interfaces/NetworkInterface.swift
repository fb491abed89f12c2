// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An interface as a path names it.
public struct NetworkInterface: Sendable, Hashable {
    /// The kernel's name, at most 15 bytes.
    public var name: String
    /// The kernel's index within the network namespace.
    public var index: UInt32
    /// The kind, after the configured rules (linux-paths section 5).
    public var type: InterfaceType

    /// Creates an interface from its parts.
    public init(name: String, index: UInt32, type: InterfaceType) {
        self.name = name
        self.index = index
        self.type = type
    }
}

/// What kind of network an interface leads to; raw values are the HTTP contract's.
public enum InterfaceType: String, Sendable, Hashable, CaseIterable {
    /// Ethernet, including its virtual forms: veth, bridge, bond, vlan.
    case wiredEthernet = "wired_ethernet"
    /// An 802.11 station or access point.
    case wifi
    /// A cellular modem.
    case cellular
    /// The loopback interface.
    case loopback
    /// A tunnel: tun, WireGuard, PPP, GRE and their kin.
    case tunnel
    /// Anything else.
    case other
}
