// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// How long to wait before the next try.
struct RetryPause: Sendable {
    private let settings: RetrySettings
    /// What a receiver may ask for at most.
    static let longestWish: UInt64 = 3600

    init(_ settings: RetrySettings) {
        self.settings = settings
    }

    /// - Parameters:
    ///   - failures: how many there were in a row, this one included.
    ///   - wish: what the receiver asks for, in seconds.
    ///   - random: makes receivers that failed together not come back together.
    /// - Returns: Nanoseconds.
    func next(failures: Int, wish: UInt64? = nil, random: inout some RandomNumberGenerator) -> UInt64 {
        let (first, longest) = (settings.firstPause.nanoseconds, settings.longestPause.nanoseconds)
        let doublings = UInt64(max(0, min(failures - 1, 40)))
        let (grown, isTooLong) = first.multipliedReportingOverflow(by: 1 << doublings)
        let pause = isTooLong ? longest : min(grown, longest)
        let jittered = pause - pause / 5 + UInt64.random(in: 0...max(1, pause / 5 * 2), using: &random)
        return max(jittered, min(wish ?? 0, Self.longestWish) * 1_000_000_000)
    }
}
