// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Monitoring

/// Moments as the clock on the wall shows them (TZ).
enum LocalTime {
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

    private static func two(_ number: Int) -> String { padded(number, 2) }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
