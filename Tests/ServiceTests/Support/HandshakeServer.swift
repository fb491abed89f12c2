// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport

/// A server with a certificate of the fixtures, and `reachd trust` to judge it.
final class HandshakeServer: Sendable {
    private let server: TLSServer

    var port: UInt16 { server.port }

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - name: The certificate to show, with `intermediate`.
    ///   - options: Further options of `openssl s_server`.
    init(_ name: String = "leaf", _ options: [String] = [], address: String = "127.0.0.1") throws {
        let options = ["-cert_chain", "intermediate.pem"] + options
        server = try TLSServer(in: CertificateFixture.folder, name, options, mode: "-www", address: address)
    }

    /// Judges its certificates as of ``TrustFixture/time``, with `root` trusted.
    func judge(_ options: String..., anchors: [String] = ["root"], host: String = "127.0.0.1") throws -> Reachd.Result {
        try Reachd.run(arguments(anchors, host) + options)
    }

    /// The same with `--json`.
    func document(
        _ options: String...,
        anchors: [String] = ["root"],
        host: String = "127.0.0.1"
    ) throws -> TrustDocument {
        try TrustDocument(Reachd.run(arguments(anchors, host) + options + ["--json"]))
    }

    private func arguments(_ anchors: [String], _ host: String) -> [String] {
        ["trust", "\(host):\(port)", "--at", TrustFixture.time]
            + anchors.flatMap { ["--anchors", CertificateFixture.path($0)] }
    }
}
