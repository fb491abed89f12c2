// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// Access control; may change while the service runs.
package struct AccessRules: Sendable, Hashable {
    /// The tokens. Without any, everyone may read and local clients may write.
    package var tokens: [AccessToken]
    /// The origins whose pages may read the answers (CORS), each as `https://name:port`.
    package var origins: Set<String>
    /// Changes per second of each client, and heartbeats per second of each target and client; nil is unlimited.
    package var writesPerSecond: Int?

    /// Creates rules.
    package init(tokens: [AccessToken] = [], origins: Set<String> = [], writesPerSecond: Int? = nil) {
        self.tokens = tokens
        self.origins = origins
        self.writesPerSecond = writesPerSecond
    }
}

/// An access token; only its digest is stored.
package struct AccessToken: Sendable, Hashable {
    /// The token's name in the log.
    package let name: String
    /// SHA-256 of the token.
    package let digest: [UInt8]
    /// The scopes that it grants.
    package let scopes: Set<AccessScope>

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - name: the token's name in the log.
    ///   - digest: SHA-256 of its bytes; 32 bytes.
    ///   - scopes: the scopes that it grants.
    package init(name: String, digest: [UInt8], scopes: Set<AccessScope>) {
        self.name = name
        self.digest = digest
        self.scopes = scopes
    }
}

extension [AccessToken] {
    /// The token of a request; nil if it is unknown. Compares all tokens completely, so that the time reveals nothing.
    func find(_ shown: String) -> AccessToken? {
        guard let digest = SHA256.digest(of: [UInt8](shown.utf8)) else { return nil }
        var found: AccessToken?
        for token in self where token.digest.count == digest.count {
            let difference = zip(token.digest, digest).reduce(0 as UInt8) { $0 | $1.0 ^ $1.1 }
            if difference == 0 { found = token }
        }
        return found
    }
}

/// What a token permits.
package enum AccessScope: String, Sendable, Hashable, CaseIterable {
    /// Read everything.
    case read
    /// Change everything that can be changed.
    case write
}
