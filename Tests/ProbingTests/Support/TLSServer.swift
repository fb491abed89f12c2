// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport

/// openssl(1)'s server on a free port of 127.0.0.1, one connection after the other. It sends each line back the other
/// way round.
final class TLSServer: Sendable {
    struct NotReady: Error {
        let output: String
    }

    let port: UInt16
    private let process: ChildProcess

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - name: The certificate to show.
    ///   - options: Further options of `openssl s_server`.
    convenience init(
        _ certificates: TestCertificates,
        _ name: String = "leaf",
        _ options: [String] = ["-cert_chain", "middle.pem"],
        mode: String = "-rev"
    ) throws {
        try self.init(in: certificates.folder.path, name, options, mode: mode)
    }

    /// Starts a server with certificates of a folder, and waits until it listens.
    init(in folder: String, _ name: String, _ options: [String], mode: String = "-rev") throws {
        let words =
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "\(name).pem", "-key", "\(name).key", mode]
            + options
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        process = try ChildProcess(["sh", "-c", "cd '\(folder)'; exec \(quoted)"])
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
}
