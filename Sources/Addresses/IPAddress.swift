// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// An internet protocol family.
public enum AddressFamily: UInt8, Sendable, Hashable, CaseIterable {
    /// `AF_INET`
    case ipv4 = 2
    /// `AF_INET6`
    case ipv6 = 10
}

/// An IPv4 or IPv6 address, 17 bytes by value, without port or scope.
public struct IPAddress: Sendable, Hashable {
    /// The family.
    public let family: AddressFamily
    /// The first eight bytes in network order; for IPv4 the four bytes of the address are the highest.
    public let high: UInt64
    /// The last eight bytes in network order; zero for IPv4.
    public let low: UInt64

    /// An IPv4 address from its 32 bits in host order, `0x7f000001` being 127.0.0.1.
    public init(ipv4 bits: UInt32) {
        family = .ipv4
        high = UInt64(bits) << 32
        low = 0
    }

    /// An IPv6 address from its two halves in host order.
    public init(ipv6High: UInt64, low: UInt64) {
        family = .ipv6
        high = ipv6High
        self.low = low
    }

    /// Reads a literal as `inet_pton(3)` does; an IPv4-mapped IPv6 literal becomes the IPv4 address (L7).
    ///
    /// - Returns: nil when the text is not an address; a scope (`%eth0`) is not part of one.
    public init?(_ text: String) {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            self.init(ipv4: UInt32(bigEndian: four.s_addr))
            return
        }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        self = unsafe withUnsafeBytes(of: &six) { unsafe Self(networkBytes: $0) } ?? Self(ipv6High: 0, low: 0)
        self = unmapped
    }

    /// Reads 4 or 16 bytes in network order, as netlink attributes and DNS answers carry them.
    public init?(networkBytes bytes: UnsafeRawBufferPointer) {
        switch bytes.count {
        case 4:
            self.init(ipv4: UInt32(bigEndian: unsafe bytes.loadUnaligned(as: UInt32.self)))
        case 16:
            self.init(
                ipv6High: UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        default:
            return nil
        }
    }

    /// The number of bits: 32 or 128.
    public var bitWidth: Int { family == .ipv4 ? 32 : 128 }

    /// The number of bytes: 4 or 16.
    public var byteCount: Int { bitWidth / 8 }

    /// The IPv4 address inside an IPv4-mapped IPv6 one, otherwise the address itself (linux-paths 3.2).
    public var unmapped: IPAddress {
        guard family == .ipv6, high == 0, low >> 32 == 0xffff else { return self }
        return IPAddress(ipv4: UInt32(truncatingIfNeeded: low))
    }

    /// Whether this is 0.0.0.0 or `::`, which stand for the default path (R41).
    public var isUnspecified: Bool { high == 0 && low == 0 }

    /// Whether this is in 169.254/16 or fe80::/10.
    public var isLinkLocal: Bool {
        family == .ipv4 ? high >> 48 == 0xa9fe : high >> 54 == 0xfe80 >> 6
    }

    /// Whether this is in 224/4 or ff00::/8.
    package var isMulticast: Bool {
        family == .ipv4 ? high >> 60 == 0xe : high >> 56 == 0xff
    }

    /// Whether this is in 127/8 or ::1.
    public var isLoopback: Bool {
        family == .ipv4 ? high >> 56 == 127 : high == 0 && low == 1
    }

    /// Whether packets to it need an interface to be named: an IPv6 link-local address exists on every link (L7).
    public var needsInterface: Bool { family == .ipv6 && isLinkLocal }

    /// Writes the 4 or 16 bytes in network order.
    public func withNetworkBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        var bytes = (high.bigEndian, low.bigEndian)
        return try unsafe withUnsafeBytes(of: &bytes) {
            try unsafe body(UnsafeRawBufferPointer(rebasing: $0[..<byteCount]))
        }
    }
}

extension IPAddress: CustomStringConvertible {
    /// The text form of `inet_ntop(3)`.
    public var description: String {
        if family == .ipv4 {
            // inet_ntop(3) is a sprintf, and events, metrics and probes name addresses all the time.
            return "\(high >> 56).\(high >> 48 & 0xff).\(high >> 40 & 0xff).\(high >> 32 & 0xff)"
        }
        return unsafe withNetworkBytes { bytes in
            unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
                guard
                    let text = unsafe inet_ntop(
                        AF_INET6,
                        bytes.baseAddress,
                        buffer.baseAddress,
                        socklen_t(buffer.count)
                    )
                else { return "" }
                return unsafe String(cString: text)
            }
        }
    }
}

extension IPAddress: Comparable {
    /// IPv4 before IPv6, then by value: the order of the engine's prefix search.
    public static func < (left: IPAddress, right: IPAddress) -> Bool {
        (left.family.rawValue, left.high, left.low) < (right.family.rawValue, right.high, right.low)
    }
}

extension IPAddress {
    /// What is wrong with an address that ``needsInterface`` and has none; it follows the address in a sentence.
    package static let missingInterface = "is a link-local address, which exists on every link, and has no interface"

    /// What to write in its place.
    package var missingInterfaceHint: String { "write the interface behind it, such as \(self)%eth0" }
}
