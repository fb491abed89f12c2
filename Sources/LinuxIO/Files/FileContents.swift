// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// Small files read whole.
package enum FileContents {
    /// The bytes of a file, at most so many; a longer file is cut.
    ///
    /// - Parameters:
    ///   - path: The file; symbolic links are followed.
    ///   - limit: How many bytes to read at most.
    /// - Throws: ``SystemError`` from `open(2)` or `read(2)`.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        // Non-blocking, so that a pipe in the file's place does not hold the caller up.
        let file = OwnedDescriptor(
            owning: try systemCall("open(\(path))") { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        )
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while contents.count < limit {
            let wanted = min(piece.count, limit - contents.count)
            let count = try systemCall("read(\(path))") { unsafe Glibc.read(file.number, &piece, wanted) }
            guard count > 0 else { break }
            contents += piece.prefix(count)
        }
        return contents
    }
}
