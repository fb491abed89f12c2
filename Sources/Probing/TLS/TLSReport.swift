// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a TLS handshake came to: what was agreed on, what the server showed, and what is wrong with that.
///
/// It is complete whether the chain was trusted or not, and bounded whatever the server sent.
public struct TLSReport: Sendable, Hashable {
    /// The protocol's version: `TLSv1.3`.
    public internal(set) var version: String
    /// The cipher suite by its name in OpenSSL: `TLS_AES_256_GCM_SHA384`; nil when the handshake ended before it.
    public internal(set) var cipher: String?
    /// The protocol that was agreed on (ALPN, RFC 7301): `h2`.
    public internal(set) var applicationProtocol: String?
    /// The certificates in the order that the server sent them, its own first; at most 10.
    public internal(set) var chain: [TLSCertificate]
    /// How many certificates the server sent.
    public internal(set) var sentCertificates: Int
    /// Everything that is wrong with the chain, the weightiest first; at most 16. Found also when the probe is told to go
    /// on regardless.
    public internal(set) var problems: [TLSProblem]
    /// When the first of the sent certificates expires, in seconds since 1970; a server may send some that nobody needs.
    public internal(set) var chainExpiry: Int64?
    /// When the first certificate of the chain up to the trusted one expires; nil unless there is such a chain without a
    /// problem.
    public internal(set) var verifiedChainExpiry: Int64?
    /// When the chain was looked at, in seconds since 1970.
    public internal(set) var checkedAt: Int64

    /// When the server's own certificate expires, in seconds since 1970.
    public var leafExpiry: Int64? { chain.first?.notAfter }

    /// Whether nothing is wrong with the chain.
    public var isTrusted: Bool { problems.isEmpty }

    /// When the server will not be trusted any more, in seconds since 1970: verifiedChainExpiry, or leafExpiry of
    /// a server that is not trusted as it is.
    public var expiry: Int64? { verifiedChainExpiry ?? leafExpiry }

    /// Creates a report from its parts.
    public init(
        version: String,
        cipher: String? = nil,
        applicationProtocol: String? = nil,
        chain: [TLSCertificate] = [],
        sentCertificates: Int? = nil,
        problems: [TLSProblem] = [],
        chainExpiry: Int64? = nil,
        verifiedChainExpiry: Int64? = nil,
        checkedAt: Int64
    ) {
        self.version = version
        self.cipher = cipher
        self.applicationProtocol = applicationProtocol
        self.chain = chain
        self.sentCertificates = sentCertificates ?? chain.count
        self.problems = problems
        self.chainExpiry = chainExpiry
        self.verifiedChainExpiry = verifiedChainExpiry
        self.checkedAt = checkedAt
    }
}
