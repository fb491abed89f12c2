// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CTestSupport
internal import Glibc
package import LinuxIO
internal import Synchronization

/// A program started by a test; it is killed and reaped at the latest when this object goes.
///
/// Standard output and standard error arrive on one pipe, so that a failure shows both in their order.
package final class ChildProcess: Sendable {
    /// The process's number.
    package let pid: Int32
    private let output: OwnedDescriptor
    private let state = Mutex(State())

    private struct State {
        var exitStatus: Int32?
        var buffer: [UInt8] = []
        var isAtEnd = false
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: The program, looked up in PATH, and its arguments.
    ///   - environment: Variables that replace or extend the test's own.
    ///   - input: What the program reads from its standard input: a descriptor, or nil for nothing.
    ///   - namespace: The network namespace to run in, with a sysfs of its own.
    /// - Throws: ``SystemError`` when it cannot be started.
    package init(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: OwnedDescriptor? = nil,
        in namespace: NetworkNamespace? = nil
    ) throws(SystemError) {
        let words = (namespace.map { ["ip", "netns", "exec", $0.name] } ?? []) + arguments
        let pipe = try Pipe()
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // A test's thread may have all signals blocked, as Dispatch's have; the program starts with none.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        // A shell has its jobs in the background ignore these.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        for signal in [SIGINT, SIGQUIT] { unsafe sigaddset(&defaults, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        if let input {
            unsafe posix_spawn_file_actions_adddup2(&actions, input.number, 0)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe.writer.number, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe.writer.number, 2)
        var pid: pid_t = 0
        let variables = Self.environment(with: environment)
        let code = unsafe Self.withCStrings(words) { words in
            unsafe Self.withCStrings(variables) { variables in
                guard let program = unsafe words[0] else { return EINVAL }
                return unsafe posix_spawnp(&pid, program, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else { throw SystemError(code: code, operation: "posix_spawn \(words.joined(separator: " "))") }
        self.pid = pid
        output = pipe.reader
    }

    deinit {
        kill(SIGKILL)
        wait()
    }

    /// Sends a signal, unless the process was reaped already.
    package func kill(_ signal: Int32) {
        state.withLock { state in
            guard state.exitStatus == nil else { return }
            _ = Glibc.kill(pid, signal)
        }
    }

    /// Waits for the end of the process.
    ///
    /// - Returns: Its exit status, or 128 plus the number of the signal that ended it, as a shell has it.
    @discardableResult
    package func wait() -> Int32 {
        if let status = state.withLock({ $0.exitStatus }) { return status }
        // Waits without reaping, so that no other thread can signal a number that the system gave away again.
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        return state.withLock { state in
            if let status = state.exitStatus { return status }
            var raw: Int32 = 0
            while unsafe waitpid(pid, &raw, 0) == -1, errno == EINTR {}
            let status = raw & 0x7f == 0 ? raw >> 8 & 0xff : 128 + raw & 0x7f
            state.exitStatus = status
            return status
        }
    }

    /// Reads the next line of output; one thread at a time.
    ///
    /// - Parameter limit: How long to wait at most, in seconds; a hang limit, not a measurement.
    /// - Returns: The line without its end, nil at the end of the output or when the limit passed.
    package func readLine(limit: Int = 600) -> String? {
        while true {
            let (line, isAtEnd): (String?, Bool) = state.withLock { state in
                if let end = state.buffer.firstIndex(of: 10) {
                    let line = String(decoding: state.buffer[..<end], as: UTF8.self)
                    state.buffer.removeSubrange(...end)
                    return (line, state.isAtEnd)
                }
                guard state.isAtEnd, !state.buffer.isEmpty else { return (nil, state.isAtEnd) }
                let line = String(decoding: state.buffer, as: UTF8.self)
                state.buffer = []
                return (line, true)
            }
            if line != nil || isAtEnd { return line }
            guard waitReadable(output.number, limit: limit) else { return nil }
            readSome()
        }
    }

    /// Reads all output to its end.
    package func readAll() -> String {
        while !state.withLock({ $0.isAtEnd }) { readSome() }
        return state.withLock { state in
            let text = String(decoding: state.buffer, as: UTF8.self)
            state.buffer = []
            return text
        }
    }

    private func readSome() {
        var chunk = [UInt8](repeating: 0, count: 16384)
        var count = unsafe read(output.number, &chunk, chunk.count)
        while count == -1, errno == EINTR { count = unsafe read(output.number, &chunk, chunk.count) }
        state.withLock { state in
            if count > 0 { state.buffer.append(contentsOf: chunk[..<count]) } else { state.isAtEnd = true }
        }
    }

    private static func environment(with changes: [String: String]) -> [String] {
        var lines: [String] = []
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let line = unsafe String(cString: text)
            let key = line.prefix { $0 != "=" }
            if changes[String(key)] == nil { lines.append(line) }
            unsafe entry += 1
        }
        return lines + changes.map { "\($0.key)=\($0.value)" }
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            // The array holds at least the final nil.
            unsafe body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}
