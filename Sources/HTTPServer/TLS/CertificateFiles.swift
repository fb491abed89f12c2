// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where a certificate chain and its private key are, both in PEM form.
package struct CertificateFiles: Sendable, Hashable {
    /// The chain: the server's certificate, and those between it and the root.
    package var certificate: String
    /// The private key of the server's certificate, without a password.
    package var key: String

    /// Names the files.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
