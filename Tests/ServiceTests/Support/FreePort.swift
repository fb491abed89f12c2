// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO

/// A port of the loopback interface that nobody listens on, for programs that must be told one.
enum FreePort {
    /// The kernel gives no port again soon that it gave lately.
    static func next() throws -> UInt16 {
        let sockets = HandedSockets()
        return try sockets.addTCP(listens: false)
    }
}
