// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

/// A clock that stands still until the test moves it.
package final class ManualClock: MonotonicClock {
    private let time: Atomic<UInt64>

    /// Begins at a time in nanoseconds.
    package init(at time: UInt64 = 1_000_000_000) {
        self.time = Atomic(time)
    }

    /// The time.
    package func now() -> UInt64 { time.load(ordering: .sequentiallyConsistent) }

    /// Moves the time.
    package func advance(by nanoseconds: UInt64) {
        time.add(nanoseconds, ordering: .sequentiallyConsistent)
    }
}
