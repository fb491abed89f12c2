// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// The standard input of commands that take `-` as a file.
enum StandardInput {
    /// Reads until the end, or until there are enough bytes.
    ///
    /// - Parameters:
    ///   - limit: How many bytes are enough.
    ///   - beginning: What was read of it already.
    /// - Throws: ``ExitStatus``, after it said why.
    static func read(atMost limit: Int, behind beginning: [UInt8] = []) throws -> [UInt8] {
        var bytes = beginning
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        do throws(SystemError) {
            while bytes.count < limit {
                let wanted = min(piece.count, limit - bytes.count)
                let count = try systemCall("read") { unsafe Glibc.read(STDIN_FILENO, &piece, wanted) }
                guard count > 0 else { break }
                bytes += piece.prefix(count)
            }
        } catch {
            StandardStream.error.write(line: "reachd: \(error)")
            throw ExitStatus.usage
        }
        return bytes
    }
}
