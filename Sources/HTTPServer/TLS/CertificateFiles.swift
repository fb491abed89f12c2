// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where a certificate chain and its private key are, both in PEM form.
public struct CertificateFiles: Sendable, Hashable {
    /// The chain: the server's certificate, and those between it and the root.
    public var certificate: String
    /// The private key of the server's certificate, without a password.
    public var key: String

    /// Names the files.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
