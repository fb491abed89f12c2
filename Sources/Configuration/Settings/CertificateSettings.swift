// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where the service's certificate and its key are.
package struct CertificateSettings: Sendable, Hashable {
    /// The path of the chain.
    package let certificateFile: String
    /// The path of the private key.
    package let keyFile: String

    /// Names the files.
    package init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
