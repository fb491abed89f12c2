// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// Who may do what; may change while the service runs.
package struct AccessRules: Sendable, Hashable {
    /// The tokens; with none everybody may read, and who is on this machine may write.
    package var tokens: [AccessToken]
    /// The sites whose pages may read the answers (CORS), each as `https://name:port`.
    package var origins: Set<String>
    /// How many changes a second are taken of each client, heartbeats of each target and client; nil: any number.
    package var writesPerSecond: Int?

    /// Creates rules.
    package init(tokens: [AccessToken] = [], origins: Set<String> = [], writesPerSecond: Int? = nil) {
        self.tokens = tokens
        self.origins = origins
        self.writesPerSecond = writesPerSecond
    }
}

/// A token that lets its bearer in; only its digest is kept.
package struct AccessToken: Sendable, Hashable {
    /// What it is called in the log.
    package let name: String
    /// SHA-256 of the token.
    package let digest: [UInt8]
    /// What it is good for.
    package let scopes: Set<AccessScope>

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - name: what it is called in the log.
    ///   - digest: SHA-256 of its bytes; 32 bytes.
    ///   - scopes: what it is good for.
    package init(name: String, digest: [UInt8], scopes: Set<AccessScope>) {
        self.name = name
        self.digest = digest
        self.scopes = scopes
    }
}

extension [AccessToken] {
    /// The token that somebody shows; nil when it is none of these. All are compared, and each to its end, so that the time
    /// that it takes says nothing.
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

/// What a token lets its bearer do.
package enum AccessScope: String, Sendable, Hashable, CaseIterable {
    /// Read everything.
    case read
    /// Change everything that can be changed.
    case write
}
