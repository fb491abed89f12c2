// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses
public import FoundationEssentials

/// An IPv6 address: Apple's `IPv6Address`.
public struct IPv6Address: IPAddress, Hashable {
    private let address: Addresses.IPAddress
    /// The interface that the address is scoped to; nil for none.
    public let interface: NWInterface?

    init(_ address: Addresses.IPAddress, _ interface: NWInterface?) {
        self.address = address
        self.interface = interface
    }

    private init(_ high: UInt64, _ low: UInt64) {
        self.init(Addresses.IPAddress(ipv6High: high, low: low), nil)
    }

    /// Takes 16 bytes in network order; nil for another number of bytes.
    public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
        guard rawValue.count == 16 else { return nil }
        let halves = [rawValue.prefix(8), rawValue.suffix(8)].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(Addresses.IPAddress(ipv6High: halves[0], low: halves[1]), interface)
    }

    /// Reads an address as `inet_pton(3)` does; nil if the text is something else. Apple's framework also reads a scope (`%en0`).
    public init?(_ string: String) {
        guard string.utf8.contains(UInt8(ascii: ":")), let address = Addresses.IPAddress(string) else { return nil }
        switch address.family {
        case .ipv6: self.init(address, nil)
        // The reader turns an IPv4 address that is written as an IPv6 one into the IPv4 address.
        case .ipv4: self.init(Addresses.IPAddress(ipv6High: 0, low: 0xffff << 32 | address.high >> 32), nil)
        }
    }

    /// The 16 bytes in network order.
    public var rawValue: Data { unsafe address.withNetworkBytes { unsafe Data($0) } }

    /// Whether this is `::`.
    public var isAny: Bool { address.isUnspecified }
    /// Whether this is ::1.
    public var isLoopback: Bool { address.isLoopback }
    /// Whether this is in fe80::/10.
    public var isLinkLocal: Bool { address.isLinkLocal }
    /// Whether this is in ff00::/8.
    public var isMulticast: Bool { address.high >> 56 == 0xff }
    /// Whether this is an IPv4 address in ::ffff:0:0/96.
    public var isIPv4Mapped: Bool { address.unmapped.family == .ipv4 }
    /// The IPv4 address in ::ffff:0:0/96; nil for any other.
    public var asIPv4: IPv4Address? { isIPv4Mapped ? IPv4Address(address.unmapped, interface) : nil }

    /// ::
    public static let any = IPv6Address(0, 0)
    /// ::1
    public static let loopback = IPv6Address(0, 1)
    /// ff01::1
    public static let nodeLocalNodes = IPv6Address(0xff01 << 48, 1)
    /// ff02::1
    public static let linkLocalNodes = IPv6Address(0xff02 << 48, 1)
    /// ff02::2
    public static let linkLocalRouters = IPv6Address(0xff02 << 48, 2)
}

extension IPv6Address: CustomDebugStringConvertible {
    /// The text form, with `%` and the interface where there is one.
    public var debugDescription: String { interface.map { "\(address)%\($0.name)" } ?? "\(address)" }
}
