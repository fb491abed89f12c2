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
