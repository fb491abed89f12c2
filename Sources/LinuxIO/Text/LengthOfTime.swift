// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Lengths of time for people, in at most two units. Any thread.
package enum LengthOfTime {
    /// `12 s`, `3 min 5 s`, `5 h 12 min`, `1 day 2 h`, `12 days`: rounded down, and 0 s for less than nothing.
    ///
    /// - Parameter milliseconds: The length in milliseconds.
    package static func text(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1_000
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return pair(seconds / 60, "min", seconds % 60, "s")
        case ..<86_400: return pair(seconds / 3_600, "h", seconds % 3_600 / 60, "min")
        case ..<172_800: return pair(1, "day", seconds % 86_400 / 3_600, "h")
        default: return "\(seconds / 86_400) days"
        }
    }

    /// The same for a time that has passed: `less than a second` instead of 0 s.
    package static func elapsed(milliseconds: Int64) -> String {
        milliseconds < 1_000 ? "less than a second" : text(milliseconds: milliseconds)
    }

    private static func pair(_ first: Int64, _ name: String, _ second: Int64, _ other: String) -> String {
        second == 0 ? "\(first) \(name)" : "\(first) \(name) \(second) \(other)"
    }
}
