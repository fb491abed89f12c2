// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// A service on a free port of the loopback interface.
final class RunningService {
    let process: ChildProcess
    let folder: TemporaryFolder
    /// The configuration file.
    let file: String
    private(set) var port: UInt16 = 0

    /// What the log said before this was made, and what was read of it since.
    private(set) var log: [String] = []

    struct NotListening: Error {
        let log: [String]
    }

    /// Starts a service and waits until it says where it listens.
    ///
    /// - Parameter wrapper: a command that runs the one that follows it.
    init(
        _ text: String = "",
        arguments: [String] = [],
        environment: [String: String] = [:],
        wrapper: [String] = []
    ) throws {
        folder = try TemporaryFolder()
        file = try folder.write(text, to: "reachd.yaml")
        // The clean environment's variable would win over the file.
        let kept = text.contains("state_file:") ? ["REACHD_STATE_FILE": ""] : [:]
        let listen = text.contains("listen:") ? [] : ["--listen", "127.0.0.1:0"]
        process = try Reachd.start(
            ["serve", "--config", file] + listen + arguments,
            environment: kept.merging(environment) { $1 },
            wrapper: wrapper
        )
        let line = waitForLine { $0.contains("listening") && $0.contains("127.0.0.1:") || $0.contains("reachd:") }
        let digits = line?.split(separator: "127.0.0.1:").last?.prefix { $0.isNumber }
        guard let number = digits.flatMap({ UInt16($0) }) else { throw NotListening(log: log) }
        port = number
    }

    /// The next line of the log that a condition holds for; nil when the log ended.
    func waitForLine(_ matches: (String) -> Bool) -> String? {
        while let line = process.readLine() {
            log.append(line)
            if matches(line) { return line }
        }
        return nil
    }

    /// Writes another configuration and makes the service read it.
    func reload(_ text: String) throws {
        try folder.replace(text, at: "reachd.yaml")
        process.kill(SIGHUP)
    }

    func get(_ path: String) throws -> HTTPReply {
        try HTTPClient.get(path, port: port)
    }
}
