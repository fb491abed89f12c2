// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A certificate or a public key that a server may be known by.
public struct Pin: Sendable, Hashable {
    /// The digest of the key, a certificate's own (S4).
    public let publicKey: PublicKeyDigest
    /// The certificate (DER); nil when only its key is pinned.
    public let certificate: [UInt8]?
    /// Until when the certificate is valid, in seconds since 1970. A key that is pinned outlives it (S4).
    public let notAfter: Int64?

    /// Pins a key.
    public init(publicKey: PublicKeyDigest) {
        self.publicKey = publicKey
        certificate = nil
        notAfter = nil
    }

    init(publicKey: PublicKeyDigest, certificate: [UInt8], notAfter: Int64?) {
        self.publicKey = publicKey
        self.certificate = certificate
        self.notAfter = notAfter
    }

    /// Two pins of one certificate or of one key are one.
    public static func == (left: Pin, right: Pin) -> Bool {
        left.publicKey == right.publicKey && left.certificate == right.certificate
    }

    /// Feeds the key alone: policies are looked up for each handshake, and certificates are long.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(publicKey)
    }
}
