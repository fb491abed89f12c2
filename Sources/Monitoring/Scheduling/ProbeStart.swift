// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A probe that is to start now.
package struct ProbeStart: Sendable, Hashable {
    /// The target's number, as given to ``StartQueue/schedule(_:due:address:)``.
    package let id: UInt64
    /// When it was due, in monotonic nanoseconds.
    package let due: UInt64
    /// Scheduler lag, in nanoseconds: how much later than due the queue was asked for it. Only a thread that is late has lag.
    package let lag: UInt64
    /// How long it then waited for a place under the queue's own limits, in nanoseconds. That is no lag: the probe has all of its
    /// timeout once it starts.
    package let wait: UInt64

    init(id: UInt64, due: UInt64, lag: UInt64, wait: UInt64 = 0) {
        self.id = id
        self.due = due
        self.lag = lag
        self.wait = wait
    }

    /// How much later than due it starts, in nanoseconds.
    package var lateness: UInt64 { lag + wait }
}
