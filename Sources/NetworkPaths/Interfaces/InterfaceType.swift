// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
