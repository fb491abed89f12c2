// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// The rule of a zone without an end, as POSIX writes it in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636, section 3.3).
struct YearlyRule: Sendable, Hashable {
    /// A day of each year, and a time of it.
    private enum Day: Sendable, Hashable {
        /// The day 1 to 365; the 29th of February is never counted.
        case withoutLeapDay(Int64)
        /// The day 0 to 365.
        case ofYear(Int64)
        /// A month, which of its weeks with that day, 5 for the last, and a day of the week, Sunday is 0.
        case ofMonth(Int64, week: Int64, weekday: Int64)
    }

    private struct DaylightSavingTime: Sendable, Hashable {
        let offset: Int64
        let from, to: Day
        let fromTime, toTime: Int64
    }

    private let standard: Int64
    private let summer: DaylightSavingTime?

    init?(_ text: String) {
        var rest = text.utf8[...]
        guard Self.skipName(&rest), let offset = Self.time(&rest, hours: 24) else { return nil }
        standard = -offset
        guard !rest.isEmpty else {
            summer = nil
            return
        }
        guard Self.skipName(&rest) else { return nil }
        var ahead = standard + 3_600
        if rest.first != UInt8(ascii: ",") {
            guard let offset = Self.time(&rest, hours: 24) else { return nil }
            ahead = -offset
        }
        guard let from = Self.change(&rest), let to = Self.change(&rest), rest.isEmpty else { return nil }
        summer = DaylightSavingTime(offset: ahead, from: from.day, to: to.day, fromTime: from.time, toTime: to.time)
    }

    /// The offset in seconds.
    ///
    /// - Parameter time: seconds since 1970.
    func offset(at time: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = CivilDate(days: (time + standard).floored(by: 86_400)).year
        let begin = Self.day(summer.from, of: year) * 86_400 + summer.fromTime - standard
        let end = Self.day(summer.to, of: year) * 86_400 + summer.toTime - summer.offset
        // In the south the summer reaches over the end of the year.
        let isSummer = begin < end ? begin <= time && time < end : begin <= time || time < end
        return isSummer ? summer.offset : standard
    }

    /// The days since 1970.
    private static func day(_ day: Day, of year: Int64) -> Int64 {
        let first = CivilDate(year: year, month: 1, day: 1).days
        switch day {
        case .ofYear(let number): return first + number
        case .withoutLeapDay(let number):
            return first + number - 1 + (CivilDate.isLeap(year) && number >= 60 ? 1 : 0)
        case .ofMonth(let month, let week, let weekday):
            let first = CivilDate(year: year, month: month, day: 1).days
            let next = CivilDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1).days
            // 1970-01-01 was a Thursday.
            let firstWeekday = (first + 4 - weekday).modulo(7)
            var day = first + (firstWeekday == 0 ? 0 : 7 - firstWeekday) + 7 * (week - 1)
            while day >= next { day -= 7 }
            return day
        }
    }

    // MARK: Reading

    private static func skipName(_ rest: inout Substring.UTF8View) -> Bool {
        if rest.first == UInt8(ascii: "<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let letters = rest.prefix { (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) }
        rest = rest.dropFirst(letters.count)
        return letters.count >= 3
    }

    private static func number(_ rest: inout Substring.UTF8View) -> Int64? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...3).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func take(_ byte: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == UInt8(ascii: byte) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// `1`, `-03:30`, `+2`: seconds.
    private static func time(_ rest: inout Substring.UTF8View, hours limit: Int64) -> Int64? {
        let isNegative = take("-", &rest)
        if !isNegative { _ = take("+", &rest) }
        guard let hours = number(&rest), hours <= limit else { return nil }
        var seconds = hours * 3_600
        for unit in [60, 1] as [Int64] where take(":", &rest) {
            guard let part = number(&rest), part < 60 else { return nil }
            seconds += part * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// `,M3.5.0/3`, `,J60`, `,59`.
    private static func change(_ rest: inout Substring.UTF8View) -> (day: Day, time: Int64)? {
        guard take(",", &rest) else { return nil }
        let day: Day
        if take("M", &rest) {
            guard let month = number(&rest), (1...12).contains(month), take(".", &rest),
                let week = number(&rest), (1...5).contains(week), take(".", &rest),
                let weekday = number(&rest), weekday < 7
            else { return nil }
            day = .ofMonth(month, week: week, weekday: weekday)
        } else if take("J", &rest) {
            guard let number = number(&rest), (1...365).contains(number) else { return nil }
            day = .withoutLeapDay(number)
        } else {
            guard let number = number(&rest), number <= 365 else { return nil }
            day = .ofYear(number)
        }
        guard take("/", &rest) else { return (day, 7_200) }
        return time(&rest, hours: 167).map { (day, $0) }
    }
}
