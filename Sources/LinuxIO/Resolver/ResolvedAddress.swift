// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One address of a name.
public struct ResolvedAddress: Sendable, Hashable {
    /// The time to live of an answer that only a changed file can change: from the hosts file, or a literal.
    public static let permanent = UInt32.max

    /// 4 or 16 bytes in network order.
    public let bytes: [UInt8]
    /// How long the answer holds, in seconds: the least of the record's and of the aliases' that lead to it.
    public let timeToLive: UInt32

    /// Creates an address from its parts.
    public init(bytes: [UInt8], timeToLive: UInt32) {
        self.bytes = bytes
        self.timeToLive = timeToLive
    }
}
