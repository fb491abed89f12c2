// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import LinuxIO
import Synchronization

/// A clock that stands still until the test moves it.
public final class ManualClock: MonotonicClock {
    private let time: Atomic<UInt64>

    /// Begins at a time in nanoseconds.
    public init(at time: UInt64 = 1_000_000_000) {
        self.time = Atomic(time)
    }

    /// The time.
    public func now() -> UInt64 { time.load(ordering: .sequentiallyConsistent) }

    /// Moves the time.
    public func advance(by nanoseconds: UInt64) {
        time.add(nanoseconds, ordering: .sequentiallyConsistent)
    }
}
