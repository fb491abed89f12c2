// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// What tells whether a file is still the one that was read.
struct FileMark: Hashable {
    private var device: UInt64 = 0
    private var number: UInt64 = 0
    private var size: Int64 = 0
    private var seconds: Int64 = 0
    private var nanoseconds: Int64 = 0
    private var error: Int32 = 0

    /// Looks at a file or directory; one that is missing has a mark, too.
    init(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            error = errno
            return
        }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = Int64(status.st_mtim.tv_sec)
        nanoseconds = Int64(status.st_mtim.tv_nsec)
    }
}
