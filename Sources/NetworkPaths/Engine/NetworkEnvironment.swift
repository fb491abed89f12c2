// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Addresses

/// What is true for all targets at once: the resolvers and what the engine can see.
public struct NetworkEnvironment: Sendable, Hashable {
    /// The configured name servers, in order.
    public var resolvers: [ScopedAddress]
    /// Whether at least one configured name server has a satisfied path.
    public var supportsDNS: Bool
    /// The default gateways that the kernel's routes name, IPv4 before IPv6.
    public var gateways: [DefaultGateway]
    /// The families that have a default path.
    public var families: Set<AddressFamily>
    /// Why packets cannot leave through gateways that were default gateways before and that no other one of their interface
    /// has replaced; without those through which they can.
    public var lostGateways: [DefaultGateway: UnsatisfiedReason]

    /// Creates an environment.
    public init(
        resolvers: [ScopedAddress] = [],
        supportsDNS: Bool = false,
        gateways: [DefaultGateway] = [],
        families: Set<AddressFamily> = [],
        lostGateways: [DefaultGateway: UnsatisfiedReason] = [:]
    ) {
        self.resolvers = resolvers
        self.supportsDNS = supportsDNS
        self.gateways = gateways
        self.families = families
        self.lostGateways = lostGateways
    }
}

/// The next hop of a default route. An IPv6 one is usually link-local, and means a host only together with the interface, which is nil
/// when the link is not known.
public typealias DefaultGateway = ScopedAddress
