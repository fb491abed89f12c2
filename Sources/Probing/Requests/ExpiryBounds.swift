// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How long certificates and pins have to last, in days; what ends sooner makes a run degraded.
public struct ExpiryBounds: Sendable, Hashable {
    /// Everything that the server's trust rests on: the verified chain, or the server's own certificate where there is
    /// none.
    public var certificate: Int32?
    /// The server's own certificate.
    public var leaf: Int32?
    /// Every certificate that the server sends, needed or not.
    public var earliestSent: Int32?
    /// The chain up to the trusted certificate, where there is one.
    public var verifiedChain: Int32?
    /// The pins.
    public var pins: Int32?

    /// Creates bounds.
    public init(
        certificate: Int32? = nil,
        leaf: Int32? = nil,
        earliestSent: Int32? = nil,
        verifiedChain: Int32? = nil,
        pins: Int32? = nil
    ) {
        self.certificate = certificate
        self.leaf = leaf
        self.earliestSent = earliestSent
        self.verifiedChain = verifiedChain
        self.pins = pins
    }
}
