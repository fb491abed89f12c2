// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Lengths of time for people.
enum SpanWords {
    /// `850 µs`, `12.3 ms`, `1.25 s`: three digits.
    static func latency(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "–" }
        if seconds < 0.000_999_5 { return "\(Int((seconds * 1_000_000).rounded())) µs" }
        if seconds < 0.999_5 { return "\(digits(seconds * 1_000)) ms" }
        return "\(digits(seconds)) s"
    }

    /// `500 ms`, `30 s`, `5 min`, `2 h`, `1 day`: what somebody chose.
    static func setting(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 1, seconds < 1e9, seconds == seconds.rounded() else {
            return latency(seconds)
        }
        let whole = Int(seconds)
        if whole % 86_400 == 0 { return whole == 86_400 ? "1 day" : "\(whole / 86_400) days" }
        if whole % 3_600 == 0 { return "\(whole / 3_600) h" }
        return whole >= 120 && whole % 60 == 0 ? "\(whole / 60) min" : "\(whole) s"
    }

    private static func digits(_ value: Double) -> String {
        let decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return fixed(value, decimals)
    }

    /// A number with so many decimals.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        var factor = 1.0
        for _ in 0..<decimals { factor *= 10 }
        let scaled = Int64((min(value, 1e12) * factor).rounded())
        guard decimals > 0 else { return "\(scaled)" }
        let fraction = String(scaled % Int64(factor))
        return "\(scaled / Int64(factor))." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// `12s`, `3m`, `5h`, `12d`: short enough for a column.
    static func short(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1_000
        switch seconds {
        case ..<120: return "\(seconds)s"
        case ..<7_200: return "\(seconds / 60)m"
        case ..<172_800: return "\(seconds / 3_600)h"
        default: return "\(seconds / 86_400)d"
        }
    }

    /// `12 s`, `3 min 5 s`, `5 h 12 min`, `12 days`.
    static func long(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds) / 1_000
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return pair(seconds / 60, "min", seconds % 60, "s")
        case ..<86_400: return pair(seconds / 3_600, "h", seconds % 3_600 / 60, "min")
        case ..<172_800: return pair(1, "day", seconds % 86_400 / 3_600, "h")
        default: return "\(seconds / 86_400) days"
        }
    }

    private static func pair(_ first: Int64, _ name: String, _ second: Int64, _ other: String) -> String {
        second == 0 ? "\(first) \(name)" : "\(first) \(name) \(second) \(other)"
    }
}
