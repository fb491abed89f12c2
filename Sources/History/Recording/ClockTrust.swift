// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Decides whether the wall clock may say how old events are: a clock that was set a year ahead by mistake would have
/// everything removed.
///
/// It is trusted after it went as fast as the monotonic clock for ten minutes.
struct ClockTrust {
    static let probation: UInt64 = 600_000_000_000
    /// Milliseconds by which the clocks may differ between two looks.
    static let tolerance: Int64 = 60_000

    private var wall: Timestamp
    private var monotonic: UInt64
    private var trustedSince: UInt64

    init(wall: Timestamp, monotonic: UInt64) {
        self.wall = wall
        self.monotonic = monotonic
        trustedSince = monotonic
    }

    /// The wall clock's time if it is to be trusted; to be asked now and then, and again after ``probation``.
    mutating func look(wall: Timestamp, monotonic: UInt64) -> Timestamp? {
        let passed = Int64(clamping: (monotonic - self.monotonic) / 1_000_000)
        let (shown, isTooMuch) = wall.milliseconds.subtractingReportingOverflow(self.wall.milliseconds)
        if isTooMuch || abs(shown.subtractingReportingOverflow(passed).partialValue) > Self.tolerance {
            trustedSince = monotonic
        }
        self.wall = wall
        self.monotonic = monotonic
        return monotonic - trustedSince >= Self.probation ? wall : nil
    }
}
