// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Glibc

/// Waits until a descriptor can be read, or its peer hung up.
///
/// - Parameter limit: How long to wait at most, in seconds.
/// - Returns: Whether it can be read.
func waitReadable(_ descriptor: Int32, limit: Int) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
        let count = unsafe poll(&entry, 1, Int32(limit * 1000))
        if count == -1, errno == EINTR { continue }
        return count == 1
    }
}
