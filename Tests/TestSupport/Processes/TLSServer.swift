// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// openssl(1)'s server on a free port of the loopback interface, one connection after the other.
package final class TLSServer: Sendable {
    /// It ended before it listened.
    package struct NotReady: Error {
        /// What it said.
        package let output: String
    }

    /// Where it listens.
    package let port: UInt16
    private let process: ChildProcess

    /// Starts a server and waits until it listens; it has read its files then.
    ///
    /// - Parameters:
    ///   - folder: The folder of the certificates.
    ///   - name: The certificate to show, without `.pem`; its key is beside it.
    ///   - options: Further options of `openssl s_server`.
    ///   - mode: What it does with a connection: `-rev` sends each line back the other way round, `-www` a page.
    ///   - address: Where it listens.
    package init(
        in folder: String,
        _ name: String,
        _ options: [String],
        mode: String = "-rev",
        address: String = "127.0.0.1"
    ) throws {
        let words =
            ["openssl", "s_server", "-accept", "\(address):0", "-cert", "\(name).pem", "-key", "\(name).key", mode]
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
