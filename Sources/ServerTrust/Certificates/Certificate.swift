// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What a certificate says. Texts hold printable ASCII only, the rest is escaped, and long ones are cut.
public struct Certificate: Sendable, Hashable {
    /// Whom it is for (RFC 2253); at most 256 characters.
    public var subject: String
    /// Who signed it (RFC 2253); at most 256 characters.
    public var issuer: String
    /// The serial number in lower-case hexadecimal digits; at most 64.
    public var serialNumber: String
    /// SHA-256 of the certificate in lower-case hexadecimal digits.
    public var fingerprint: String
    /// SHA-256 of the public key with its algorithm (SubjectPublicKeyInfo, RFC 7469) in lower-case hexadecimal digits.
    public var publicKeyDigest: String
    /// The subject alternative names: host names and addresses as they are, others with `URI:` or `email:` before
    /// them. At most 100 of the server's own certificate and 10 of each other, each of at most 256 characters.
    public var names: [String]
    /// How many of these names there are.
    public var nameCount: Int
    /// From when it is valid, in seconds since 1970; nil when that cannot be read.
    public var notBefore: Int64?
    /// Until when it is valid, in seconds since 1970; nil when that cannot be read.
    public var notAfter: Int64?
    /// The key's algorithm and length, `RSA 2048`; empty when it cannot be read.
    public var key: String
    /// The algorithm that it was signed with, `ecdsa-with-SHA256`.
    public var signatureAlgorithm: String
    /// Whether it is an authority's.
    public var isAuthority: Bool

    /// Creates a certificate from its parts.
    public init(
        subject: String,
        issuer: String,
        serialNumber: String,
        fingerprint: String,
        publicKeyDigest: String,
        names: [String] = [],
        nameCount: Int? = nil,
        notBefore: Int64? = nil,
        notAfter: Int64? = nil,
        key: String = "",
        signatureAlgorithm: String = "",
        isAuthority: Bool = false
    ) {
        self.subject = subject
        self.issuer = issuer
        self.serialNumber = serialNumber
        self.fingerprint = fingerprint
        self.publicKeyDigest = publicKeyDigest
        self.names = names
        self.nameCount = nameCount ?? names.count
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.key = key
        self.signatureAlgorithm = signatureAlgorithm
        self.isAuthority = isAuthority
    }
}

extension Certificate {
    /// The pin of its key as people write it, `sha256/…` (RFC 7469); nil when the key could not be read.
    public var pin: String? {
        PrintableBytes.bytes(hexadecimal: publicKeyDigest).flatMap { PublicKeyDigest(bytes: $0)?.description }
    }
}
