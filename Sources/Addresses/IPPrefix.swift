// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// An address block such as 10.0.0.0/8.
public struct IPPrefix: Sendable, Hashable {
    /// The first address of the block.
    public let address: IPAddress
    /// The number of leading bits that count.
    public let length: Int

    /// Creates a block; bits beyond `length` are cleared, `length` is clamped to the family's width.
    public init(_ address: IPAddress, length: Int) {
        let length = min(max(length, 0), address.bitWidth)
        self.length = length
        let high = length >= 64 ? address.high : length == 0 ? 0 : address.high & (~0 << (64 - UInt64(length)))
        let lowBits = max(length - 64, 0)
        let low = lowBits >= 64 ? address.low : lowBits == 0 ? 0 : address.low & (~0 << (64 - UInt64(lowBits)))
        self.address =
            address.family == .ipv4 ? IPAddress(ipv4: UInt32(high >> 32)) : IPAddress(ipv6High: high, low: low)
    }

    /// Reads `10.0.0.0/8`, `2001:db8::/32`, or a bare address as a block of one.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(address, length: address.bitWidth)
            return
        }
        guard let length = Int(parts[1]), (0...address.bitWidth).contains(length), parts[1].allSatisfy(\.isNumber)
        else { return nil }
        self.init(address, length: length)
    }

    /// Whether the block holds the address.
    public func contains(_ other: IPAddress) -> Bool {
        other.family == address.family && IPPrefix(other, length: length).address == address
    }

    /// The last address of the block.
    public var last: IPAddress {
        let width = address.family == .ipv4 ? 32 : 64
        let high = length >= 64 ? address.high : address.high | (length == 0 ? ~0 : ~(~0 << (64 - UInt64(length))))
        if width == 32 { return IPAddress(ipv4: UInt32(high >> 32)) }
        let lowBits = max(length - 64, 0)
        let low = lowBits >= 64 ? address.low : address.low | (lowBits == 0 ? ~0 : ~(~0 << (64 - UInt64(lowBits))))
        return IPAddress(ipv6High: high, low: low)
    }
}

extension IPPrefix: CustomStringConvertible {
    /// The usual notation.
    public var description: String { "\(address)/\(length)" }
}
