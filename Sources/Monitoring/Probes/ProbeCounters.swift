// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Probing

/// All results of a target's probe, counted: how many of each outcome, and how long they took, as a histogram.
///
/// 80 bytes, kept by the judge of the target and with what it said last: two of them for a probed target.
package struct ProbeCounters: Sendable {
    /// The upper bounds of the buckets but the last, which has none; in nanoseconds.
    package static let bounds: [UInt64] = [
        1_000_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000,
        1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]

    /// Results in each bucket alone, not in those below it.
    package private(set) var buckets = InlineArray<13, UInt32>(repeating: 0)
    /// The durations of all results together, in nanoseconds.
    package private(set) var total: UInt64 = 0
    private var outcomes = InlineArray<3, UInt32>(repeating: 0)

    /// Nothing happened yet.
    package init() {}

    /// How many results had an outcome.
    package subscript(outcome: ProbeOutcome) -> UInt32 { outcomes[Self.position(outcome)] }

    /// Counts a result. Overflow wraps to zero, which readers of counters treat as a restart.
    package mutating func count(_ result: ProbeResult) {
        let duration = result.duration.nanoseconds
        buckets[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count] &+= 1
        total &+= duration
        outcomes[Self.position(result.outcome)] &+= 1
    }

    private static func position(_ outcome: ProbeOutcome) -> Int {
        switch outcome {
        case .success: 0
        case .degraded: 1
        case .failure: 2
        }
    }
}
