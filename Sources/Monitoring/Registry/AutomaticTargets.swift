// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// What every machine has and nobody needs to configure: the default paths, the gateways, the resolvers.
enum AutomaticTargets {
    /// Gateways and resolvers watched at most, each: a hostile router could announce thousands.
    static let maximumPerKind = 16

    static func settings(for environment: NetworkEnvironment) -> [TargetSettings] {
        var targets = [
            TargetSettings(
                id: "default-ipv4",
                name: "Default path (IPv4)",
                request: PathRequest(.defaultPath(family: .ipv4)),
                text: "default",
                origin: .auto
            ),
            TargetSettings(
                id: "default-ipv6",
                name: "Default path (IPv6)",
                request: PathRequest(.defaultPath(family: .ipv6)),
                text: "default",
                origin: .auto
            ),
        ]
        targets += addresses(environment.gateways, id: "gateway", name: "Gateway")
        targets += addresses(environment.resolvers, id: "resolver", name: "Resolver")
        return targets
    }

    private static func addresses(_ addresses: [IPAddress], id: String, name: String) -> [TargetSettings] {
        addresses.prefix(maximumPerKind).map { address in
            TargetSettings(
                id: "\(id)-\(address)",
                name: "\(name) \(address)",
                request: PathRequest(.address(address)),
                text: address.description,
                origin: .auto
            )
        }
    }
}
