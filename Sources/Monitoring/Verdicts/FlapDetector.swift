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

/// When a target counts as flapping: Nagios's two thresholds over its last results.
package struct FlapSettings: Sendable, Hashable {
    /// How many results ``window`` may hold; the history is one machine word for each target.
    package static let windowRange = 3...64
    /// What the two thresholds may be, in percent.
    package static let percentRange = 1...100
    /// Icinga's: the last 20 results, in at 30 %, out below 25 %.
    package static let standard = FlapSettings(uncheckedWindow: 20, lowPercent: 25, highPercent: 30)

    /// How many results are looked at, each compared with the one before it.
    package let window: Int
    /// Flapping ends when the weighted share of changes is below this.
    package let lowPercent: Int
    /// Flapping begins when the weighted share of changes is this or above.
    package let highPercent: Int

    /// Checks and creates the settings.
    ///
    /// - Throws: `flapWindow`, or `flapThresholds` when one is out of its range or the lower is not below the higher.
    package init(window: Int, lowPercent: Int, highPercent: Int) throws(VerdictSettingsError) {
        guard Self.windowRange.contains(window) else { throw VerdictSettingsError(code: .flapWindow) }
        guard Self.percentRange.contains(lowPercent), Self.percentRange.contains(highPercent), lowPercent < highPercent
        else { throw VerdictSettingsError(code: .flapThresholds) }
        self.init(uncheckedWindow: window, lowPercent: lowPercent, highPercent: highPercent)
    }

    private init(uncheckedWindow: Int, lowPercent: Int, highPercent: Int) {
        window = uncheckedWindow
        self.lowPercent = lowPercent
        self.highPercent = highPercent
    }
}
