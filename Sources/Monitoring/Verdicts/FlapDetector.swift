// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// Nagios's flap detection: the weighted share of changes among the last results, with a threshold to begin and a lower
/// one to end.
///
/// The newest change weighs 1.2, the oldest 0.8, those between on the line from one to the other; all in whole numbers, so
/// that a threshold is met or not. Results that were never there count as unchanged.
struct FlapDetector: Sendable, Hashable {
    private(set) var isFlapping = false
    /// Bit 0 is the newest: whether that result differed from the one before.
    private var changes: UInt64 = 0
    private var last: ProbeOutcome?

    mutating func record(_ verdict: ProbeOutcome, _ settings: FlapSettings) {
        let changed = last.map { $0 != verdict } ?? false
        changes = changes << 1 | (changed ? 1 : 0)
        last = verdict
        // The weights are 800 + 400·i/(n−1) thousandths, so (2(n−1) + i) parts, of which there are 5n(n−1)/2.
        let steps = settings.window - 1
        var parts = 0
        for age in 0...steps where changes >> UInt64(age) & 1 == 1 { parts += 3 * steps - age }
        let share = 200 * parts
        let whole = 5 * settings.window * steps
        isFlapping = share >= (isFlapping ? settings.lowPercent : settings.highPercent) * whole
    }

    /// What comes next is not compared with what was before.
    mutating func interrupt() { last = nil }
}
