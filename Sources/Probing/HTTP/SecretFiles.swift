// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// Caches passwords and tokens from files, and reads a file again when it has changed. On the loop's thread.
package final class SecretFiles {
    private struct Stamp: Equatable {
        let device: dev_t
        let inode: ino_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int
    }

    private static let sizeLimit = 16 << 10
    private static let countLimit = 1_024
    private var known: [String: (stamp: Stamp, text: String)] = [:]

    package init() {}

    /// Returns the contents of a file without the trailing line end.
    ///
    /// - Throws: ``ProbeReason/credentialsUnavailable``; the detail contains the path, never the content.
    package func read(_ path: String) throws(ProbeFault) -> String {
        do throws(SystemError) {
            // O_NONBLOCK: opening a FIFO without a writer would block the loop.
            let number = try systemCall("open") { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
            let file = OwnedDescriptor(owning: number)
            var status = stat()
            try systemCall("fstat") { unsafe fstat(file.number, &status) }
            guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EINVAL, operation: "read") }
            let stamp = Stamp(
                device: status.st_dev,
                inode: status.st_ino,
                size: status.st_size,
                seconds: status.st_mtim.tv_sec,
                nanoseconds: status.st_mtim.tv_nsec
            )
            if let entry = known[path], entry.stamp == stamp { return entry.text }
            var bytes = [UInt8](repeating: 0, count: Self.sizeLimit + 1)
            let count = try systemCall("read") { unsafe Glibc.read(file.number, &bytes, bytes.count) }
            var content = bytes[..<count]
            if content.last == 0x0A { content.removeLast() }
            if content.last == 0x0D { content.removeLast() }
            guard count <= Self.sizeLimit, let text = String(validating: content, as: UTF8.self), !text.isEmpty,
                !content.contains(where: { $0 < 0x20 || $0 == 0x7F })
            else {
                throw SystemError(code: EBADMSG, operation: "read")
            }
            if known.count >= Self.countLimit { known = [:] }
            known[path] = (stamp, text)
            return text
        } catch {
            throw ProbeFault(
                reason: .credentialsUnavailable,
                detail: "\(PrintableBytes.quote(path.utf8)) is not a file with a single line of text: \(error)"
            )
        }
    }
}
