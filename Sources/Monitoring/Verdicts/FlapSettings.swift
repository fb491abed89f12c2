// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
