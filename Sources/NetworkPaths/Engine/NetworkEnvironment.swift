// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What is true for all targets at once: the resolvers and what the engine can see.
public struct NetworkEnvironment: Sendable, Hashable {
    /// The configured name servers, in order.
    public var resolvers: [IPAddress]
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
        resolvers: [IPAddress] = [],
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

/// The next hop of a default route.
public struct DefaultGateway: Sendable, Hashable {
    /// Its address; an IPv6 one is usually link-local, and means a host only together with the interface.
    public let address: IPAddress
    /// The interface of the route, by name; nil when the link is not known.
    public let interface: String?

    /// Creates a gateway.
    public init(_ address: IPAddress, interface: String? = nil) {
        self.address = address
        self.interface = interface
    }
}
