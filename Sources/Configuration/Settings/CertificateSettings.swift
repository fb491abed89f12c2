// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where the service's certificate and its key are.
public struct CertificateSettings: Sendable, Hashable {
    /// The path of the chain.
    public let certificateFile: String
    /// The path of the private key.
    public let keyFile: String

    /// Names the files.
    public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
