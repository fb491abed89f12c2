// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport

/// `reachd trust` with the certificates that `scripts/make-certificates` made.
enum TrustFixture {
    /// When all certificates are valid but those that say otherwise.
    static let time = "2026-02-15T00:00:00Z"

    /// Judges files as of ``time``, with `root` trusted.
    static func judge(_ chain: [String], _ options: String..., anchors: [String] = ["root"]) throws -> Reachd.Result {
        try Reachd.run(arguments(chain, anchors: anchors) + options)
    }

    /// The same with `--json`.
    static func document(
        _ chain: [String],
        _ options: String...,
        anchors: [String] = ["root"]
    ) throws -> TrustDocument {
        try TrustDocument(Reachd.run(arguments(chain, anchors: anchors) + options + ["--json"]))
    }

    private static func arguments(_ chain: [String], anchors: [String]) -> [String] {
        ["trust", "--at", time] + chain.flatMap { ["--chain", CertificateFixture.path($0)] }
            + anchors.flatMap { ["--anchors", CertificateFixture.path($0)] }
    }
}
