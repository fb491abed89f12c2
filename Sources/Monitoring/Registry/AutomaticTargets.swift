// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths

/// The targets of every machine, without any configuration: the default paths, the gateways, the resolvers.
package struct AutomaticTargets {
    /// Gateways and resolvers watched at most, each: a hostile router could announce thousands.
    static let maximumPerKind = 16

    /// The families that have had a default path so far: a machine that never had IPv6 lacks nothing.
    private var families: Set<AddressFamily> = []
    private var gateways: [DefaultGateway] = []
    private var resolvers: [ScopedAddress] = []

    /// Starts with no environment seen.
    package init() {}

    /// Takes the environment as it is now.
    ///
    /// - Parameter lost: The gateways of uplinks that failed (``UplinkLog/lost``); they stay targets, because that is their
    ///   outage.
    package mutating func follow(_ environment: NetworkEnvironment, lost: [DefaultGateway] = []) {
        families.formUnion(environment.families)
        // A target is called after the address alone: of the servers that share one, the first is asked first.
        resolvers = environment.resolvers.enumerated().filter { place, server in
            !environment.resolvers[..<place].contains { $0.address == server.address }
        }
        .map(\.element)
        // Two networks may have the same gateway address: the one in use is the target.
        let kept = lost.filter { gateway in !environment.gateways.contains { $0.address == gateway.address } }
        gateways = (environment.gateways + kept).sorted { $0.address.family.rawValue < $1.address.family.rawValue }
    }

    /// The targets to watch; the default paths of both families while none has been seen.
    package var settings: [TargetSettings] {
        var targets = AddressFamily.allCases.filter { families.isEmpty || families.contains($0) }.map(Self.defaultPath)
        targets += gateways.prefix(Self.maximumPerKind).map {
            // Through another interface the same address is another host, or the default path's business.
            Self.target($0, id: "gateway", name: "Gateway")
        }
        targets += resolvers.prefix(Self.maximumPerKind).map { Self.target($0, id: "resolver", name: "Resolver") }
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

    private static func target(_ host: ScopedAddress, id: String, name: String) -> TargetSettings {
        TargetSettings(
            id: "\(id)-\(host.address)",
            name: "\(name) \(host.address)",
            request: PathRequest(.address(host.address, interface: host.interface)),
            text: host.address.description,
            origin: .auto
        )
    }
}
