// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc
internal import LinuxIO
internal import Synchronization

/// A server with children of its own, whose output is read as long as it runs.
final class ServerProcess: Sendable {
    /// It ended before it was ready.
    struct NotReady: Error, CustomStringConvertible {
        /// Its output.
        let description: String
    }

    private let process: ChildProcess
    /// Ends the program when this process ends without ending it: its input is a pipe that only this process can write to.
    private let guardian: ChildProcess
    private let lifeline: Pipe
    /// Its number may belong to another program.
    private let isOver = Mutex(false)

    /// Starts a program and waits for a line of output that contains a text.
    init(_ arguments: [String], readyLine: String) throws {
        let process = try ChildProcess(arguments)
        self.process = process
        lifeline = try Pipe()
        let commands = "cat >/dev/null; kill -CONT \(process.pid); kill -QUIT \(process.pid)"
        guardian = try ChildProcess(["sh", "-c", commands], input: lifeline.reader)
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

    deinit {
        kill()
        // Before the number of the program can belong to another one. Its `cat` ends with the pipe.
        guardian.kill(SIGKILL)
    }

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
        guard !isOver.withLock({ $0 }) else { return }
        // A stopped program starts no further child, and its children are known by it only until it ends.
        process.kill(SIGSTOP)
        let children = children
        process.kill(SIGKILL)
        for child in children { _ = Glibc.kill(child, SIGKILL) }
        wait()
    }

    /// Waits for the end.
    func wait() {
        process.wait()
        isOver.withLock { $0 = true }
    }

    private var children: [Int32] {
        let path = "/proc/\(process.pid)/task/\(process.pid)/children"
        guard let bytes = try? FileContents.read(path, limit: 1 << 16) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }
}
