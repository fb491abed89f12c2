// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A certificate for localhost and 127.0.0.1 with its key, made by openssl in a folder of the test's.
package struct SelfSignedCertificate: Sendable {
    /// The certificate (PEM).
    package let path: String
    /// Its key (PEM).
    package let key: String

    /// Makes one.
    ///
    /// - Parameters:
    ///   - name: Of the files and of the certificate's subject.
    ///   - folder: Where the files go.
    package init(_ name: String, in folder: TemporaryFolder) throws {
        path = folder.path(of: "\(name).pem")
        key = folder.path(of: "\(name).key")
        try Command.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", key, "-out", path, "-days", "2", "-subj", "/CN=\(name)",
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ])
    }

    /// Puts another certificate's files in the place of these, one after the other.
    package func replace(by other: SelfSignedCertificate) throws {
        for (from, to) in [(other.path, path), (other.key, key)] {
            try Command.run(["cp", from, "\(to).new"])
            try Command.run(["mv", "\(to).new", to])
        }
    }
}
