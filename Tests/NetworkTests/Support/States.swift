// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// States of a network, for a scripted engine.
enum States {
    static let eth0 = NetworkInterface(name: "eth0", index: 2, type: .wiredEthernet)
    static let wlan0 = NetworkInterface(name: "wlan0", index: 3, type: .wifi)
    static let wwan0 = NetworkInterface(name: "wwan0", index: 4, type: .cellular)
    static let wg0 = NetworkInterface(name: "wg0", index: 5, type: .tunnel)

    /// No interface.
    static let offline = InterfacePaths(defaultPath: NetworkPath(flags: [], unsatisfiedReason: .noRoute))

    /// One interface with IPv4.
    static func online(_ interface: NetworkInterface = eth0) -> InterfacePaths {
        online([path(interface, chosenFor: [.ipv4])])
    }

    /// Several interfaces; the kernel's choice is marked.
    static func online(_ interfaces: [InterfacePath], supportsDNS: Bool = true) -> InterfacePaths {
        InterfacePaths(
            defaultPath: NetworkPath(flags: .reachable, interface: interfaces.first?.interface),
            interfaces: interfaces,
            supportsDNS: supportsDNS
        )
    }

    /// An interface whose packets leave by gateways.
    static func path(
        _ interface: NetworkInterface,
        _ gateways: [AddressFamily: String] = [.ipv4: "192.0.2.1"],
        chosenFor: Set<AddressFamily> = []
    ) -> InterfacePath {
        InterfacePath(
            interface: interface,
            routes: gateways.mapValues { InterfacePath.Route(gateway: IPAddress($0)) },
            chosenFor: chosenFor,
            isExpensive: interface.type == .cellular,
            leadsThroughModem: interface.type == .cellular
        )
    }
}
