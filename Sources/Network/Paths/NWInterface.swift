// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import NetworkPaths

/// An interface of this machine: Apple's `NWInterface`.
public struct NWInterface: Sendable, Hashable {
    /// What an interface leads to. Rules can change the type (`InterfaceRule` of `NetworkPaths`).
    public enum InterfaceType: Sendable, Hashable {
        /// A tunnel, or a link of which no more is known.
        case other
        /// Wi-Fi, as sysfs reports it.
        case wifi
        /// A modem, by the kind of its link, its driver or its name; a rule declares one that the kernel reports as Ethernet.
        case cellular
        /// Ethernet, including its virtual forms: veth, bridge, bond, vlan.
        case wiredEthernet
        /// The loopback interface.
        case loopback
    }

    /// The type.
    public let type: InterfaceType
    /// The name in the kernel, such as `eth0`.
    public let name: String
    /// The index in the network namespace.
    public let index: Int
}

extension NWInterface {
    init(_ interface: NetworkInterface) {
        self.init(type: InterfaceType(interface.type), name: interface.name, index: Int(interface.index))
    }
}

extension NWInterface.InterfaceType {
    init(_ type: NetworkPaths.InterfaceType) {
        self =
            switch type {
            case .wiredEthernet: .wiredEthernet
            case .wifi: .wifi
            case .cellular: .cellular
            case .loopback: .loopback
            case .tunnel, .other: .other
            }
    }
}

extension NWInterface: CustomDebugStringConvertible {
    /// The name.
    public var debugDescription: String { name }
}
