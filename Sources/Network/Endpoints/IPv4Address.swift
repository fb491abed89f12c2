// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Addresses
public import FoundationEssentials

/// An IPv4 address: Apple's `IPv4Address`.
public struct IPv4Address: IPAddress, Hashable {
    private let address: Addresses.IPAddress
    /// The interface that the address is scoped to; nil for none.
    public let interface: NWInterface?

    init(_ address: Addresses.IPAddress, _ interface: NWInterface?) {
        self.address = address
        self.interface = interface
    }

    private init(_ bits: UInt32) {
        self.init(Addresses.IPAddress(ipv4: bits), nil)
    }

    /// Takes 4 bytes in network order; nil for another number of bytes.
    public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
        guard rawValue.count == 4 else { return nil }
        self.init(Addresses.IPAddress(ipv4: rawValue.reduce(0) { $0 << 8 | UInt32($1) }), interface)
    }

    /// Reads four decimal numbers with dots, as `inet_pton(3)` does; nil if the text is something else.
    public init?(_ string: String) {
        // The reader also takes an IPv4 address that is written as an IPv6 one.
        guard !string.utf8.contains(UInt8(ascii: ":")), let address = Addresses.IPAddress(string) else { return nil }
        self.init(address, nil)
    }

    /// The 4 bytes in network order.
    public var rawValue: Data { unsafe address.withNetworkBytes { unsafe Data($0) } }

    /// Whether this is in 127/8.
    public var isLoopback: Bool { address.isLoopback }
    /// Whether this is in 169.254/16.
    public var isLinkLocal: Bool { address.isLinkLocal }
    /// Whether this is in 224/4.
    public var isMulticast: Bool { address.high >> 60 == 0xe }

    /// 0.0.0.0
    public static let any = IPv4Address(0)
    /// 255.255.255.255
    public static let broadcast = IPv4Address(0xffff_ffff)
    /// 127.0.0.1
    public static let loopback = IPv4Address(0x7f00_0001)
    /// 224.0.0.1
    public static let allHostsGroup = IPv4Address(0xe000_0001)
    /// 224.0.0.2
    public static let allRoutersGroup = IPv4Address(0xe000_0002)
    /// 224.0.0.22
    public static let allReportsGroup = IPv4Address(0xe000_0016)
    /// 224.0.0.251
    public static let mdnsGroup = IPv4Address(0xe000_00fb)
}

extension IPv4Address: CustomDebugStringConvertible {
    /// The text form, with `%` and the interface where there is one.
    public var debugDescription: String { interface.map { "\(address)%\($0.name)" } ?? "\(address)" }
}
