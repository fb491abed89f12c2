// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import ServerTrust

/// The report of a TLS handshake: the negotiated parameters, the server's certificates, and the verdict on them.
///
/// Complete whether the chain was trusted or not, and bounded whatever the server sent.
package struct TLSReport: Sendable, Hashable {
    /// The protocol version: `TLSv1.3`.
    package internal(set) var version: String
    /// The cipher suite by its name in OpenSSL: `TLS_AES_256_GCM_SHA384`; nil when the handshake ended before it was
    /// chosen.
    package internal(set) var cipher: String?
    /// The negotiated protocol (ALPN, RFC 7301): `h2`.
    package internal(set) var applicationProtocol: String?
    /// The policy's verdict on the server's certificates, also when it is ignored.
    package internal(set) var trust: TrustVerdict
    /// The stapled OCSP response; nil when the server sent none, or the handshake ended before.
    package internal(set) var staple: StapledResponse?

    /// The certificates as the server sent them, its own first; at most 10.
    package var chain: [Certificate] { trust.sentChain }

    /// Whether the chain has no faults, not even tolerated ones.
    package var isTrusted: Bool { trust.isAccepted && trust.tolerated.isEmpty }

    /// Creates a report from its parts.
    package init(
        version: String,
        cipher: String? = nil,
        applicationProtocol: String? = nil,
        trust: TrustVerdict,
        staple: StapledResponse? = nil
    ) {
        self.version = version
        self.cipher = cipher
        self.applicationProtocol = applicationProtocol
        self.trust = trust
        self.staple = staple
    }
}

/// A stapled OCSP response (RFC 6066, section 8; RFC 6960). It is only recorded, and its signature is not verified: the
/// server itself provides it.
package struct StapledResponse: Sendable, Hashable {
    /// The status of the certificate.
    package enum Status: String, Sendable, Hashable, CaseIterable {
        /// The certificate is not revoked.
        case good
        /// The certificate is revoked.
        case revoked
        /// The responder does not know the certificate.
        case unknown
        /// The response is malformed, a responder error, or about another certificate.
        case unusable
    }

    /// The status of the certificate.
    package let status: Status
    /// The time of the status, in seconds since 1970.
    package let thisUpdate: Int64?
    /// The time of the next update, in seconds since 1970.
    package let nextUpdate: Int64?
    /// The time of revocation, in seconds since 1970.
    package let revokedAt: Int64?

    /// Creates a response from its parts.
    package init(status: Status, thisUpdate: Int64? = nil, nextUpdate: Int64? = nil, revokedAt: Int64? = nil) {
        self.status = status
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        self.revokedAt = revokedAt
    }
}
