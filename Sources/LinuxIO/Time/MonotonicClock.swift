// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc

/// The time that timers run by; injected so that tests need not wait.
package protocol MonotonicClock: Sendable {
    /// Nanoseconds since an arbitrary start; never goes back.
    func now() -> UInt64
}

/// `CLOCK_MONOTONIC`.
package struct SystemMonotonicClock: MonotonicClock {
    /// Creates the clock.
    package init() {}

    /// Nanoseconds since boot, not counting suspension.
    package func now() -> UInt64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
