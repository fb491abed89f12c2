// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Moments for people.
enum MomentWords {
    private static let units: [(name: String, seconds: UInt64)] = [
        ("year", 31_557_600), ("day", 86_400), ("hour", 3_600), ("minute", 60),
    ]

    /// `2026-02-15T00:00:00Z`
    static func text(_ seconds: Int64) -> String {
        // Certificates know whole seconds.
        Timestamp(seconds: seconds).description.replacing(".000Z", with: "Z")
    }

    /// `in 45 days`, `over for 3 hours`: in the largest unit that there are at least two of.
    static func end(of moment: Int64, at now: Int64) -> String {
        let (difference, overflow) = moment.subtractingReportingOverflow(now)
        let span = overflow ? UInt64(Int64.max) : difference.magnitude
        let unit = units.first { span >= 2 * $0.seconds } ?? ("second", 1)
        let count = span / unit.seconds
        let words = "\(count) \(unit.name)\(count == 1 ? "" : "s")"
        return moment >= now ? "in \(words)" : "over for \(words)"
    }
}
