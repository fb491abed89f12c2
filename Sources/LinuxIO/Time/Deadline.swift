// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A moment up to which several waits go on, one after the other.
package struct Deadline: Sendable {
    private let moment: UInt64
    private let clock: any MonotonicClock

    /// - Parameters:
    ///   - limit: how long from now.
    ///   - clock: what time it is measured by.
    package init(after limit: Duration, clock: any MonotonicClock = SystemMonotonicClock()) {
        self.clock = clock
        moment = clock.now().addingReportingOverflow(limit.nanoseconds).partialValue
    }

    /// How long it still is; none when it is over.
    package var left: Duration {
        let now = clock.now()
        return moment > now ? .nanoseconds(Int64(clamping: moment - now)) : .zero
    }
}
