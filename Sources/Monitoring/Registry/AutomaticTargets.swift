// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// What every machine has and nobody needs to configure: the default paths, the gateways, the resolvers.
enum AutomaticTargets {
    /// Gateways and resolvers watched at most, each: a hostile router could announce thousands.
    static let maximumPerKind = 16

    /// - Parameters:
    ///   - environment: as it is now.
    ///   - families: that have had a default path so far: a machine that never had IPv6 lacks nothing. Without any, all.
    static func settings(for environment: NetworkEnvironment, families: Set<AddressFamily>) -> [TargetSettings] {
        var targets = AddressFamily.allCases.filter { families.isEmpty || families.contains($0) }.map(defaultPath)
        targets += addresses(environment.gateways, id: "gateway", name: "Gateway")
        targets += addresses(environment.resolvers, id: "resolver", name: "Resolver")
        return targets
    }

    private static func defaultPath(_ family: AddressFamily) -> TargetSettings {
        TargetSettings(
            id: family == .ipv4 ? "default-ipv4" : "default-ipv6",
            name: family == .ipv4 ? "Default path (IPv4)" : "Default path (IPv6)",
            request: PathRequest(.defaultPath(family: family)),
            text: "default",
            origin: .auto
        )
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
