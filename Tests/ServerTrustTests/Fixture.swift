// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust
import TestSupport

/// The certificates of ``TestSupport/CertificateFixture``, read.
enum Fixture {
    static let time = CertificateFixture.time
    static let folder = CertificateFixture.folder

    static func path(_ name: String) -> String { CertificateFixture.path(name) }

    /// Certificates, as a server would send them.
    static func chain(_ names: String...) throws -> CertificateChain {
        try CertificateChain(files: names.map { path($0) })
    }

    /// Certificates, as somebody trusts them.
    static func anchors(_ names: String...) throws -> TrustAnchors { try TrustAnchors(files: names.map { path($0) }) }
}
