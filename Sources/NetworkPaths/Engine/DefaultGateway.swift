// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
