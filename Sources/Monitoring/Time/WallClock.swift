// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// What time it is for people; injected so that tests can name the moments.
package protocol WallClock: Sendable {
    /// The present moment; may step back when somebody sets the machine's clock.
    func now() -> Timestamp
}

/// `CLOCK_REALTIME`.
package struct SystemWallClock: WallClock {
    /// Creates the clock.
    package init() {}

    /// The machine's idea of UTC.
    package func now() -> Timestamp {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
