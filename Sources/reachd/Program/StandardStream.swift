// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Synchronization

/// The standard output and error, unbuffered: what is written is out.
struct StandardStream {
    /// Where answers go.
    static let output = StandardStream(descriptor: STDOUT_FILENO)
    /// Where complaints and the log go.
    static let error = StandardStream(descriptor: STDERR_FILENO)

    /// Why answers did not come out whole, as on a disk that is full; nil when they did, or no reader was there.
    static var outputFailure: SystemError? { failure.withLock { $0 } }

    private static let failure = Mutex<SystemError?>(nil)

    let descriptor: Int32

    /// Writes a text and a line feed, in one call unless the other side is slow. A stream without a reader is no
    /// reason to stop.
    func write(line: String) {
        write(Array(line.utf8) + [UInt8(ascii: "\n")])
    }

    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return note(errno)
            }
        }
    }

    private func note(_ code: Int32) {
        // The reader has gone, or there never was one.
        guard descriptor == STDOUT_FILENO, code != EPIPE, code != EBADF else { return }
        Self.failure.withLock { $0 = $0 ?? SystemError(code: code, operation: "write") }
    }
}

/// The environment that the process was started with.
enum ProcessEnvironment {
    /// All variables; of several with one name the first counts, as with `getenv(3)`.
    static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        // Read once at the start, before there are threads; it is never written.
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            if let sign = text.firstIndex(of: "=") {
                let name = String(text[..<sign])
                if variables[name] == nil { variables[name] = String(text[text.index(after: sign)...]) }
            }
            unsafe next += 1
        }
        return variables
    }
}
