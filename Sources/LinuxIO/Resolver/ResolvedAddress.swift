// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Addresses

/// One address of a name.
package struct ResolvedAddress: Sendable, Hashable {
    /// The time to live of an answer that only a changed file can change: from the hosts file, or a literal.
    package static let permanent = UInt32.max

    /// The address.
    package let address: IPAddress
    /// How long the answer holds, in seconds: the least of the record's and of the aliases' that lead to it.
    package let timeToLive: UInt32

    /// Creates an address; `timeToLive` in seconds.
    package init(_ address: IPAddress, timeToLive: UInt32) {
        self.address = address
        self.timeToLive = timeToLive
    }

    /// IPv4 before IPv6, each family in the order that it came in.
    static func sortedByFamily(_ addresses: [ResolvedAddress]) -> [ResolvedAddress] {
        addresses.filter { $0.address.family == .ipv4 } + addresses.filter { $0.address.family == .ipv6 }
    }
}
