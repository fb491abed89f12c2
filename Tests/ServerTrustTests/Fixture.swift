// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ServerTrust

/// The certificates that `scripts/make-certificates` made.
enum Fixture {
    /// 2026-02-15: all but those that say otherwise are valid.
    static let time: Int64 = 1_771_113_600

    static let folder = String(#filePath.dropLast("Fixture.swift".count)) + "Fixtures/"

    /// The path of a certificate.
    static func path(_ name: String) -> String { "\(folder)\(name).pem" }

    /// Certificates, as a server would send them.
    static func chain(_ names: String...) throws -> CertificateChain {
        try CertificateChain(files: names.map { path($0) })
    }

    /// Certificates, as somebody trusts them.
    static func anchors(_ names: String...) throws -> TrustAnchors { try TrustAnchors(files: names.map { path($0) }) }
}
