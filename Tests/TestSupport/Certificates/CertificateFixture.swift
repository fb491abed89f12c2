// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The certificates that `scripts/make-certificates` made; what each is for is in the `README.md` beside them.
package enum CertificateFixture {
    /// 2026-02-15: all but those that say otherwise are valid.
    package static let time: Int64 = 1_771_113_600

    /// The folder, with a slash at its end.
    package static let folder: String = {
        let tests = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        return tests.joined(separator: "/") + "/ServerTrustTests/Fixtures/"
    }()

    /// The path of a certificate (PEM).
    package static func path(_ name: String) -> String { "\(folder)\(name).pem" }

    /// The path of a certificate's key.
    package static func key(_ name: String) -> String { "\(folder)\(name).key" }
}
