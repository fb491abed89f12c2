// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import Glibc
import LinuxIO
import TestSupport

/// A node of a fleet: a process of `reachd serve`, killed at the latest when this object goes.
final class FleetProcess: Sendable {
    let name: String
    let process: ChildProcess
    /// The lines of its log, and `end of the log` when it ended.
    let log = Recorder<String>()
    let port: UInt16
    private let folder: TemporaryFolder
    private let namespace: NetworkNamespace?

    private struct TargetBody: Decodable {
        var state: String
    }

    private static let end = "end of the log"

    /// Starts a node and waits until it listens.
    ///
    /// - Parameters:
    ///   - name: its name in the fleet.
    ///   - fleet: the section `fleet` besides the name, as the inside of a mapping in one line.
    ///   - configuration: other lines of the configuration.
    ///   - namespace: the network; nil for the test's own.
    init(
        _ name: String,
        fleet: String,
        configuration: String = "",
        environment: [String: String] = [:],
        in namespace: NetworkNamespace? = nil
    ) async throws {
        self.name = name
        self.namespace = namespace
        folder = try TemporaryFolder()
        let text = """
            auto_targets: false
            probing: { start_spread: 0s }
            fleet: { node: "\(name)", \(fleet) }
            \(configuration)
            """
        let file = try folder.write(text, to: "reachd.yaml")
        let process = try Reachd.start(
            ["serve", "--config", file, "--listen", "127.0.0.1:0"],
            environment: environment,
            in: namespace
        )
        self.process = process
        let reader = try LinuxIO.Thread(name: "node-log") { [log] in
            while let line = process.readLine(limit: 3_600) { log.record(line) }
            log.record(Self.end)
        }
        reader.detach()
        let line = try await log.next(limit: .seconds(600)) { line in
            line.contains("listening") && line.contains("127.0.0.1:") || line == Self.end
        }
        port = line.split(separator: "127.0.0.1:").last.flatMap { UInt16($0.prefix { $0.isNumber }) } ?? 0
        guard port != 0 else { throw NotReached(description: "\(name) does not listen: \(log.events)") }
    }

    deinit {
        process.kill(SIGKILL)
        process.wait()
    }

    /// Ends the process at once.
    func kill() {
        process.kill(SIGKILL)
        process.wait()
    }

    /// Ends the process in order.
    ///
    /// - Returns: its exit status.
    func terminate() async throws -> Int32 {
        process.kill(SIGTERM)
        try await log.next { $0 == Self.end }
        return process.wait()
    }

    /// Awaits a line of the log.
    @discardableResult
    func line(_ text: String) async throws -> String {
        let line = try await log.next(limit: .seconds(600)) { $0.contains(text) || $0 == Self.end }
        guard line != Self.end else { throw NotReached(description: "\(name) logs no \(text): \(log.events)") }
        return line
    }

    /// The lines of the log that contain a text.
    func lines(_ text: String) -> [String] { log.events.filter { $0.contains(text) } }

    /// What `reachd doctor` prints with its configuration.
    func doctor() throws -> String {
        let arguments = ["doctor", "--config", "\(folder.path)/reachd.yaml"]
        return try Reachd.run(arguments, environment: ["REACHD_LISTEN": "127.0.0.1:\(port)"], in: namespace).output
    }

    func get(_ path: String) throws -> HTTPReply { try HTTPClient.get(path, port: port, in: namespace) }

    /// The state of a target as the node itself serves it; nil while it does not have the target.
    func state(of target: String) throws -> String? {
        let reply = try get("/targets/\(target)?scope=node")
        guard reply.status == 200 else { return nil }
        return try JSONDecoder().decode(TargetBody.self, from: Data(reply.body)).state
    }
}
