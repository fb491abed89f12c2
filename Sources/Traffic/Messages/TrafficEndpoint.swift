// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// An IP address with a TCP port: one side of a connection, or where a target is.
package struct TrafficEndpoint: Sendable, Hashable {
    /// The address; never an IPv4-mapped IPv6 address.
    package let address: IPAddress
    /// The port.
    package let port: UInt16

    /// Creates an endpoint; an IPv4-mapped IPv6 address becomes the IPv4 address.
    package init(_ address: IPAddress, port: UInt16) {
        self.address = address.unmapped
        self.port = port
    }
}

extension TrafficEndpoint: CustomStringConvertible {
    /// `192.0.2.1:80` or `[2001:db8::1]:80`.
    package var description: String { address.family == .ipv4 ? "\(address):\(port)" : "[\(address)]:\(port)" }
}
