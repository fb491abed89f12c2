// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// When to make the next pass: the first hint after quiet at once; while passes come faster than 100 a second,
/// after 5 ms without a further hint and at most 50 ms after the first (linux-paths section 6). Pure.
struct PassPace {
    private static let millisecond: UInt64 = 1_000_000
    private static let quickInterval = 10 * millisecond
    private static let quiet = 5 * millisecond
    private static let patience = 50 * millisecond

    private var lastPass: UInt64?
    private var firstPending: UInt64?

    /// The time of the pass that a hint at `now` asks for, in nanoseconds; `now` itself means at once.
    mutating func hint(at now: UInt64) -> UInt64 {
        let first = firstPending ?? now
        firstPending = first
        if first == now, now >= (lastPass.map { $0 + Self.quickInterval } ?? 0) { return now }
        return max(min(now + Self.quiet, first + Self.patience), now)
    }

    /// A pass ended.
    mutating func passed(at now: UInt64) {
        lastPass = now
        firstPending = nil
    }
}
