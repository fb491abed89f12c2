// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An address, and the interface that leads to it where the address alone does not tell: a link-local one means a host only together
/// with its interface (RFC 4007).
public struct ScopedAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address.
    public let address: IPAddress
    /// The interface, by name; nil when none is known or needed.
    public let interface: String?

    /// Creates one.
    public init(_ address: IPAddress, interface: String? = nil) {
        self.address = address
        self.interface = interface
    }

    /// `192.0.2.1`, `fe80::1%eth0`.
    public var description: String { "\(address)" + (interface.map { "%\($0)" } ?? "") }
}
