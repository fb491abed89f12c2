// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import ServerTrust

/// What a TLS handshake came to: what was agreed on, what the server showed, and what is to be said of that.
///
/// It is complete whether the chain was trusted or not, and bounded whatever the server sent.
package struct TLSReport: Sendable, Hashable {
    /// The protocol's version: `TLSv1.3`.
    package internal(set) var version: String
    /// The cipher suite by its name in OpenSSL: `TLS_AES_256_GCM_SHA384`; nil when the handshake ended before it.
    package internal(set) var cipher: String?
    /// The protocol that was agreed on (ALPN, RFC 7301): `h2`.
    package internal(set) var applicationProtocol: String?
    /// What the policy says of the server's certificates, and why; also when it goes on regardless.
    package internal(set) var trust: TrustVerdict
    /// What the server said of its certificate's revocation by itself; nil when it said nothing, or the handshake ended
    /// before it could.
    package internal(set) var staple: StapledResponse?

    /// The certificates in the order that the server sent them, its own first; at most 10.
    package var chain: [Certificate] { trust.sentChain }

    /// Whether nothing is wrong with the chain, tolerated or not.
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

/// What a server says of its certificate's revocation (RFC 6066, section 8; RFC 6960). It is recorded and decides nothing,
/// nor is its signature verified: the server itself hands it over.
package struct StapledResponse: Sendable, Hashable {
    /// What it says of the certificate.
    package enum Status: String, Sendable, Hashable, CaseIterable {
        /// It is not revoked.
        case good
        /// It is revoked.
        case revoked
        /// The responder does not know it.
        case unknown
        /// The response cannot be read, is an error of the responder's, or is about another certificate.
        case unusable
    }

    /// What it says of the certificate.
    package let status: Status
    /// When this was so, in seconds since 1970.
    package let thisUpdate: Int64?
    /// When there will be news, in seconds since 1970.
    package let nextUpdate: Int64?
    /// Since when the certificate is revoked, in seconds since 1970.
    package let revokedAt: Int64?

    /// Creates a response from its parts.
    package init(status: Status, thisUpdate: Int64? = nil, nextUpdate: Int64? = nil, revokedAt: Int64? = nil) {
        self.status = status
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        self.revokedAt = revokedAt
    }
}
