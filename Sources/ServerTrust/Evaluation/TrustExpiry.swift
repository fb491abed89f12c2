// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// When certificates and pins end, each in seconds since 1970; nil where there is none or it cannot be read.
public struct TrustExpiry: Sendable, Hashable {
    /// The server's own certificate.
    public let leaf: Int64?
    /// The first of all that the server sent; it may send some that nobody needs.
    public let earliestSent: Int64?
    /// The first of the chain to the anchor; nil unless that is valid.
    public let verifiedChain: Int64?
    /// The pins (``PinSet/expiry(in:)``).
    public let pins: Int64?

    /// Creates it from its parts.
    public init(leaf: Int64? = nil, earliestSent: Int64? = nil, verifiedChain: Int64? = nil, pins: Int64? = nil) {
        self.leaf = leaf
        self.earliestSent = earliestSent
        self.verifiedChain = verifiedChain
        self.pins = pins
    }

    /// When the server will not be trusted any more as it is: the end of the verified chain, or of the leaf of a server
    /// that is not trusted.
    public var effective: Int64? { verifiedChain ?? leaf }
}
