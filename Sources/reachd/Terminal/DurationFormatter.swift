// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Monitoring

/// Lengths of time for people.
enum DurationFormatter {
    /// `850 µs`, `12.3 ms`, `1.25 s`: three digits.
    static func latency(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "–" }
        if seconds < 0.000_999_5 { return "\(Int((seconds * 1_000_000).rounded())) µs" }
        if seconds < 0.999_5 { return "\(digits(seconds * 1_000)) ms" }
        return "\(digits(seconds)) s"
    }

    /// `500 ms`, `30 s`, `5 min`, `2 h`, `1 day`: a configured duration.
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

    /// A number with so many decimals, at most six; beyond 10¹² either way it is 10¹².
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        var factor = 1.0
        for _ in 0..<decimals { factor *= 10 }
        let scaled = Int64((max(-1e12, min(value, 1e12)) * factor).rounded())
        let sign = scaled < 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(scaled.magnitude)" }
        let (whole, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(factor))
        let fraction = String(rest)
        return "\(sign)\(whole)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// `12 s`, `3 min`, `5 h`, `12 days`: the larger unit of ``long(milliseconds:)``, for a column.
    static func short(milliseconds: Int64) -> String {
        long(milliseconds: milliseconds).split(separator: " ").prefix(2).joined(separator: " ")
    }

    /// `12 s`, `3 min 5 s`, `5 h 12 min`, `12 days`.
    static func long(milliseconds: Int64) -> String {
        LengthOfTime.text(milliseconds: milliseconds)
    }

    /// The same for a time that has passed: `less than a second` instead of `0 s`.
    static func elapsed(milliseconds: Int64) -> String {
        LengthOfTime.elapsed(milliseconds: milliseconds)
    }
}

/// Moments as the clock on the wall shows them (TZ).
enum LocalTimeFormatter {
    /// `2026-11-22 10:15:30.123`; the date is left out when it is not wanted.
    static func text(_ moment: Timestamp, withDate: Bool, withMilliseconds: Bool = true) -> String {
        let rest = ((moment.milliseconds % 1_000) + 1_000) % 1_000
        var seconds = time_t((moment.milliseconds - rest) / 1_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return moment.description }
        let time = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { two(Int($0)) }.joined(separator: ":")
        let fraction = withMilliseconds ? "." + padded(Int(rest), 3) : ""
        guard withDate else { return time + fraction }
        let date = unsafe "\(parts.tm_year + 1_900)-\(two(Int(parts.tm_mon) + 1))-\(two(Int(parts.tm_mday)))"
        return "\(date) \(time)\(fraction)"
    }

    /// `10:15:30`; with the date when it is not within twelve hours of now.
    static func recent(_ moment: Timestamp, _ now: Timestamp) -> String {
        let isRecent = now.milliseconds.subtractingReportingOverflow(moment.milliseconds).0.magnitude < 43_200_000
        return text(moment, withDate: !isRecent, withMilliseconds: false)
    }

    private static func two(_ number: Int) -> String { padded(number, 2) }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

/// Moments for people.
enum TimestampFormatter {
    private static let units: [(name: String, seconds: UInt64)] = [
        ("year", 31_557_600), ("day", 86_400), ("hour", 3_600), ("minute", 60),
    ]

    /// `2026-02-15T00:00:00Z`
    static func text(_ seconds: Int64) -> String {
        // Certificates know whole seconds.
        Timestamp(seconds: seconds).description.replacing(".000Z", with: "Z")
    }

    /// `expires in 45 days`, `expired 3 hours ago`.
    static func expiry(of moment: Int64, at now: Int64) -> String {
        "\(moment >= now ? "expires" : "expired") \(end(of: moment, at: now))"
    }

    /// `in 45 days`, `3 hours ago`: in the largest unit that there are at least two of.
    static func end(of moment: Int64, at now: Int64) -> String {
        let (difference, overflow) = moment.subtractingReportingOverflow(now)
        let span = overflow ? UInt64(Int64.max) : difference.magnitude
        let unit = units.first { span >= 2 * $0.seconds } ?? ("second", 1)
        let count = span / unit.seconds
        let words = "\(count) \(unit.name)\(count == 1 ? "" : "s")"
        return moment >= now ? "in \(words)" : "\(words) ago"
    }
}
