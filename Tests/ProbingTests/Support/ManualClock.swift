// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

/// A clock that stands still until the test moves it.
final class ManualClock: MonotonicClock {
    private let time: Atomic<UInt64>

    init(at time: UInt64 = 1_000_000_000) {
        self.time = Atomic(time)
    }

    func now() -> UInt64 { time.load(ordering: .sequentiallyConsistent) }

    func advance(by nanoseconds: UInt64) {
        time.add(nanoseconds, ordering: .sequentiallyConsistent)
    }
}
