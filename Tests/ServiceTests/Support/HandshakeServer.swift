// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport

/// openssl(1)'s server on a free port of the loopback interface, in the folder of the certificates.
final class HandshakeServer: Sendable {
    struct NotReady: Error {
        let output: String
    }

    let port: UInt16
    private let process: ChildProcess

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - name: The certificate to show, with `intermediate`.
    ///   - options: Further options of `openssl s_server`.
    init(_ name: String = "leaf", _ options: [String] = [], address: String = "127.0.0.1") throws {
        let words =
            [
                "openssl", "s_server", "-accept", "\(address):0", "-cert", "\(name).pem", "-key", "\(name).key",
                "-cert_chain", "intermediate.pem", "-www",
            ] + options
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        process = try ChildProcess(["sh", "-c", "cd '\(CertificateFixture.folder)'; exec \(quoted)"])
        var output = ""
        while let line = process.readLine() {
            output += "\(line)\n"
            if line.hasPrefix("ACCEPT"), let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) {
                self.port = port
                return
            }
        }
        throw NotReady(output: output)
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
