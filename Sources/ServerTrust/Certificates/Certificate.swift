// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// The fields of a certificate. Texts hold printable ASCII only: other characters are escaped, and long texts are
/// truncated.
public struct Certificate: Sendable, Hashable {
    /// The subject (RFC 2253); at most 256 characters.
    public var subject: String
    /// The issuer (RFC 2253); at most 256 characters.
    public var issuer: String
    /// The serial number in lower-case hexadecimal digits; at most 64.
    public var serialNumber: String
    /// SHA-256 of the certificate in lower-case hexadecimal digits.
    public var fingerprint: String
    /// SHA-256 of the public key with its algorithm (SubjectPublicKeyInfo, RFC 7469) in lower-case hexadecimal digits.
    public var publicKeyDigest: String
    /// The subject alternative names: host names and addresses verbatim, others prefixed with `URI:` or `email:`. At
    /// most 100 of the server's certificate and 10 of each other certificate, each of at most 256 characters.
    public var names: [String]
    /// The number of names in the certificate.
    public var nameCount: Int
    /// The start of the validity period, in seconds since 1970; nil when it cannot be read.
    public var notBefore: Int64?
    /// The end of the validity period, in seconds since 1970; nil when it cannot be read.
    public var notAfter: Int64?
    /// The key's algorithm and length, `RSA 2048`; empty when it cannot be read.
    public var key: String
    /// The signature algorithm, `ecdsa-with-SHA256`.
    public var signatureAlgorithm: String
    /// Whether it is a CA certificate.
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
    /// The pin of its key in text form, `sha256/…` (RFC 7469); nil when the key could not be read.
    public var pin: String? {
        PrintableBytes.bytes(hexadecimal: publicKeyDigest).flatMap { PublicKeyDigest(bytes: $0)?.description }
    }
}
