// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import TestSupport

/// An nginx of the test's own on loopback, with files and certificates in a temporary folder. It ends with this object.
final class Nginx: Sendable {
    /// It could not be started.
    struct NotStarted: Error, CustomStringConvertible {
        let description: String
    }

    /// Free ports, for what `configuration` puts there.
    let ports: [UInt16]
    /// Where its files are.
    let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts it and waits until it listens.
    ///
    /// - Parameters:
    ///   - count: How many ports it needs.
    ///   - configuration: Makes the contents of the `http` block, from the ports and the folder's path.
    init(
        ports count: Int = 1,
        in folder: TemporaryFolder? = nil,
        _ configuration: ([UInt16], String) -> String
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        var output: [String] = []
        // Another process may take a port between our look and nginx's.
        for _ in 0..<5 {
            let ports = try (0..<count).map { _ in try Self.freePort() }
            let path = try folder.write(Self.frame(configuration(ports, folder.path), folder.path), to: "nginx.conf")
            let process = try ChildProcess(["nginx", "-e", "stderr", "-p", folder.path, "-c", path])
            output = []
            while let line = process.readLine() {
                // It says so after its sockets listen.
                if line.contains("using the \"epoll\"") {
                    self.ports = ports
                    self.process = process
                    return
                }
                output.append(line)
            }
        }
        throw NotStarted(description: output.joined(separator: "\n"))
    }

    /// What a `listen` line says for TLS with HTTP/2: nginx 1.25.1 has a directive of its own in the place of a parameter.
    static let http2: String = {
        let words = (try? Command.run(["nginx", "-v"]))?.split(separator: "/").last?.split(separator: ".") ?? []
        let numbers = words.map { Int($0.prefix { $0.isNumber }) ?? 0 }
        return numbers.lexicographicallyPrecedes([1, 25, 1]) ? "ssl http2" : "ssl; http2 on"
    }()

    /// Ends it now.
    func stop() {
        process.kill(SIGKILL)
        process.wait()
    }

    private static func frame(_ http: String, _ path: String) -> String {
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(path)/\($0);" }.joined(separator: " ")
        return """
            \(geteuid() == 0 ? "user root; " : "")daemon off; master_process off; pid \(path)/nginx.pid; error_log stderr notice;
            events { worker_connections 512; }
            http { access_log off; default_type text/plain; keepalive_timeout 60s; \(folders)
            \(http)
            }
            """
    }

    private static func freePort() throws -> UInt16 {
        try TestPeer(SOCK_STREAM, .silent).port
    }
}
