// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// When one name may be looked up again because the network changed: at once after two quiet minutes, and while changes
/// continue 1, 2, 4 … 60 s after the last such look-up. Pure.
///
/// A link that flaps for an hour costs each name 65 look-ups, however fast it flaps.
struct RequeryPace {
    private static let second: UInt64 = 1_000_000_000
    static let calm = 120 * second
    static let longestGap = 60 * second

    private var last: UInt64?
    private var step: UInt64 = 0

    /// The earliest time for the next look-up, in nanoseconds; `now` itself means at once.
    func earliest(at now: UInt64) -> UInt64 {
        guard let last, now - last < Self.calm else { return now }
        return max(now, last + min(Self.second << step, Self.longestGap))
    }

    /// A name is looked up because the network changed.
    mutating func requeried(at now: UInt64) {
        step = last.map { now - $0 < Self.calm ? min(step + 1, 6) : 0 } ?? 0
        last = now
    }
}
