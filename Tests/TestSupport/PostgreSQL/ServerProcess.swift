// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
internal import LinuxIO

/// A server with children of its own, whose output is read as long as it runs.
final class ServerProcess: Sendable {
    /// It ended before it was ready.
    struct NotReady: Error, CustomStringConvertible {
        /// Its output.
        let description: String
    }

    private let process: ChildProcess

    /// Starts a program and waits for a line of output that contains a text.
    init(_ arguments: [String], readyLine: String) throws {
        let process = try ChildProcess(arguments)
        self.process = process
        var output = ""
        while let line = process.readLine() {
            output += "\(line)\n"
            if line.contains(readyLine) {
                // A full pipe would stop the server.
                let drain = try Thread(name: "test-server-log") { _ = process.readAll() }
                drain.detach()
                return
            }
        }
        process.kill(SIGKILL)
        throw NotReady(description: output)
    }

    deinit { kill() }

    /// Sends a signal to the program alone.
    func signal(_ signal: Int32) { process.kill(signal) }

    /// Stops or continues the program and its children.
    func signalAll(_ signal: Int32) {
        // First the program, which cannot start another child then.
        process.kill(signal)
        for child in children { _ = Glibc.kill(child, signal) }
    }

    /// Ends the program and its children at once.
    func kill() {
        // A stopped program starts no further child, and its children are known by it only until it ends.
        process.kill(SIGSTOP)
        let children = children
        process.kill(SIGKILL)
        for child in children { _ = Glibc.kill(child, SIGKILL) }
        process.wait()
    }

    /// Waits for the end.
    func wait() { process.wait() }

    /// How many children it has.
    var childCount: Int { children.count }

    private var children: [Int32] {
        let path = "/proc/\(process.pid)/task/\(process.pid)/children"
        guard let bytes = try? FileContents.read(path, limit: 1 << 16) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }
}
