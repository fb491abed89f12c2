// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// The sums of an uplink's time by calendar month, in UTC like the rollups' days. Pure.
package struct UplinkMonths: Sendable, Hashable {
    /// The sums of one month.
    package struct Month: Sendable, Hashable {
        /// The months since January of the year 0.
        package let number: Int64
        /// The time in use, in milliseconds.
        package internal(set) var used: Int64 = 0
        /// The time in outages, in milliseconds.
        package internal(set) var lost: Int64 = 0

        /// The month as in ISO 8601: `2026-11`.
        package var name: String {
            let (year, month) = ("\(number.floored(by: 12))", "\(number.modulo(12) + 1)")
            return String(repeating: "0", count: max(4 - year.count, 0)) + year + "-"
                + (month.count < 2 ? "0" : "") + month
        }
    }

    /// The maximum number of months; the oldest are removed.
    static let maximum = 13
    private static let day: Int64 = 86_400_000
    /// Times beyond the year 9999 are treated as its end.
    private static let latest: Int64 = 253_402_300_799_999

    /// The months, oldest first, without those in which nothing was counted.
    package private(set) var all: [Month] = []

    /// Creates empty sums.
    package init() {}

    /// Adds elapsed time, split where months begin.
    ///
    /// - Parameters:
    ///   - milliseconds: The elapsed time; up to a year of it counts.
    ///   - start: Its beginning.
    ///   - sum: The sum to which it is added.
    mutating func add(_ milliseconds: Int64, from start: Timestamp, _ sum: WritableKeyPath<Month, Int64>) {
        var left = min(milliseconds, 366 * Self.day)
        var moment = min(max(start.milliseconds, -Self.latest), Self.latest - 366 * Self.day)
        while left > 0 {
            let date = CivilDate(days: moment.floored(by: Self.day))
            let next = CivilDate(
                year: date.month == 12 ? date.year + 1 : date.year,
                month: date.month % 12 + 1,
                day: 1
            )
            let part = min(left, next.days * Self.day - moment)
            add(part, to: date.year * 12 + date.month - 1, sum)
            left -= part
            moment += part
        }
    }

    /// Adds the sums of others.
    mutating func add(_ others: UplinkMonths) {
        for month in others.all {
            add(month.used, to: month.number, \.used)
            add(month.lost, to: month.number, \.lost)
        }
    }

    /// Adds to the sum of one month; a sum has at most the length of a year.
    mutating func add(_ milliseconds: Int64, to number: Int64, _ sum: WritableKeyPath<Month, Int64>) {
        guard milliseconds > 0 else { return }
        if let index = all.firstIndex(where: { $0.number == number }) {
            all[index][keyPath: sum] = min(all[index][keyPath: sum] + milliseconds, 366 * Self.day)
            return
        }
        var month = Month(number: number)
        month[keyPath: sum] = min(milliseconds, 366 * Self.day)
        all.insert(month, at: all.firstIndex { $0.number > number } ?? all.count)
        all.removeFirst(max(all.count - Self.maximum, 0))
    }
}
