// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
