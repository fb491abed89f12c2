// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
package import NetworkPaths

extension NetworkPath {
    /// Through eth0, as a routed target is reached.
    package static func up(gateway: String = "192.0.2.1", generation: UInt32 = 1) -> NetworkPath {
        NetworkPath(
            flags: .reachable,
            interface: NetworkInterface(name: "eth0", index: 2, type: .wiredEthernet),
            sourceAddress: IPAddress("192.0.2.7"),
            gateway: IPAddress(gateway),
            supportsIPv4: true,
            generation: generation
        )
    }

    /// Through a modem.
    package static var cellular: NetworkPath {
        NetworkPath(
            flags: [.reachable, .isWWAN, .transientConnection],
            interface: NetworkInterface(name: "wwan0", index: 5, type: .cellular),
            isExpensive: true,
            supportsIPv4: true,
            generation: 2
        )
    }

    /// Nowhere.
    package static func down(_ reason: UnsatisfiedReason = .noRoute) -> NetworkPath {
        NetworkPath(flags: [], unsatisfiedReason: reason, generation: 3)
    }
}

extension TargetSettings {
    /// An address target named by the last byte of its address.
    package static func address(
        _ id: String,
        _ text: String = "198.51.100.1",
        group: String? = nil,
        tags: [String: String] = [:]
    )
        -> TargetSettings
    {
        TargetSettings(
            id: id,
            request: PathRequest(.address(IPAddress(text) ?? IPAddress(ipv4: 0))),
            text: text,
            group: group,
            tags: tags,
            origin: .config
        )
    }
}
