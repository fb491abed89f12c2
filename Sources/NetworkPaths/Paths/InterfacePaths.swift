// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The default path and the interfaces that have one, from one look at the kernel.
public struct InterfacePaths: Sendable, Hashable {
    /// The path that the kernel chooses for packets that are bound to no interface.
    public var defaultPath: NetworkPath
    /// The interfaces with a default route in order of preference: the one that the kernel chooses for IPv4, then for IPv6,
    /// then the others by metric. Interfaces that a rule ignores are left out, and so are those that are down.
    public var interfaces: [InterfacePath]
    /// The loopback interface; nil while it is down.
    public var loopback: InterfacePath?
    /// Whether at least one configured name server has a satisfied path.
    public var supportsDNS: Bool

    /// Creates a value from its parts.
    public init(
        defaultPath: NetworkPath,
        interfaces: [InterfacePath] = [],
        loopback: InterfacePath? = nil,
        supportsDNS: Bool = false
    ) {
        self.defaultPath = defaultPath
        self.interfaces = interfaces
        self.loopback = loopback
        self.supportsDNS = supportsDNS
    }
}

/// The default path through one interface: what packets get that are bound to it.
public struct InterfacePath: Sendable, Hashable {
    /// The interface.
    public var interface: NetworkInterface
    /// The default routes through it by which packets can leave.
    public var routes: [AddressFamily: Route]
    /// The families whose packets take this interface when they are bound to none.
    public var chosenFor: Set<AddressFamily>
    /// Why packets cannot leave by it; nil while packets of one family can.
    public var unsatisfiedReason: UnsatisfiedReason?
    /// Whether it is cellular or declared as metered.
    public var isExpensive: Bool
    /// Whether it is declared as constrained.
    public var isConstrained: Bool
    /// Whether its packets reach the network through a modem, directly or inside a tunnel (R45).
    public var leadsThroughModem: Bool

    /// A default route.
    public struct Route: Sendable, Hashable {
        /// The next hop, absent where there is none, as on most tunnels.
        public var gateway: IPAddress?

        /// Creates a route.
        public init(gateway: IPAddress? = nil) {
            self.gateway = gateway
        }
    }

    /// Creates a path from its parts.
    public init(
        interface: NetworkInterface,
        routes: [AddressFamily: Route] = [:],
        chosenFor: Set<AddressFamily> = [],
        unsatisfiedReason: UnsatisfiedReason? = nil,
        isExpensive: Bool = false,
        isConstrained: Bool = false,
        leadsThroughModem: Bool = false
    ) {
        self.interface = interface
        self.routes = routes
        self.chosenFor = chosenFor
        self.unsatisfiedReason = unsatisfiedReason
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
        self.leadsThroughModem = leadsThroughModem
    }
}
