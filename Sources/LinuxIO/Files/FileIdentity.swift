// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

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
