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

/// Which file a path or a descriptor stands for, whatever it is called: stat(2)'s device and inode.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// The file under a path; nil when there is none, or it cannot be asked.
    ///
    /// - Parameters:
    ///   - path: the file's.
    ///   - followsLink: whether of a symbolic link its target is meant.
    package init?(path: String, followsLink: Bool = true) {
        var status = stat()
        guard unsafe (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// The file that is open; nil when the kernel does not say.
    package init?(_ descriptor: OwnedDescriptor) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
