// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import ServerTrust

/// Another certificate than the one that a target showed before, and what is different about it.
package struct CertificateChange: Sendable, Hashable {
    /// What can be different.
    package enum Field: String, Sendable, Hashable, CaseIterable {
        /// The certificate itself: always.
        case fingerprint
        /// Its public key.
        case publicKey = "public_key"
        /// Who signed it.
        case issuer
        /// What it is for; the order of the names means nothing.
        case names
        /// From when it is valid.
        case notBefore = "not_before"
        /// Until when it is valid.
        case notAfter = "not_after"
    }

    /// What the target showed before.
    package let previous: Certificate
    /// What it shows now.
    package let current: Certificate
    /// What is different, in the order of the cases; the fingerprint always is.
    package let changed: [Field]
    /// Names that it was not for before, in its order; of a certificate with more than 100 only those among the first.
    package let namesAdded: [String]
    /// Names that it is not for any more, likewise.
    package let namesRemoved: [String]

    /// Compares two certificates.
    ///
    /// - Returns: nil when they are the same: the fingerprint covers everything that a certificate says.
    package init?(from previous: Certificate, to current: Certificate) {
        guard previous.fingerprint != current.fingerprint else { return nil }
        self.previous = previous
        self.current = current
        namesAdded = Self.names(of: current, notIn: previous)
        namesRemoved = Self.names(of: previous, notIn: current)
        // Beyond what is kept of them the number alone can tell.
        let hasOtherNames =
            !namesAdded.isEmpty || !namesRemoved.isEmpty || previous.nameCount != current.nameCount
        changed = Field.allCases.filter { field in
            switch field {
            case .fingerprint: true
            case .publicKey: previous.publicKeyDigest != current.publicKeyDigest
            case .issuer: previous.issuer != current.issuer
            case .names: hasOtherNames
            case .notBefore: previous.notBefore != current.notBefore
            case .notAfter: previous.notAfter != current.notAfter
            }
        }
    }

    private static func names(of certificate: Certificate, notIn other: Certificate) -> [String] {
        var seen = Set(other.names)
        return certificate.names.filter { seen.insert($0).inserted }
    }
}
