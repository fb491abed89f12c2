// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Dates and date-times (RFC 3339).
package enum TimestampText {
    /// Reads an RFC 3339 date-time, `2026-11-21T10:15:30.123Z` or with `+01:00` for the `Z`, or a date, which means
    /// 00:00 UTC.
    ///
    /// Digits beyond the milliseconds are ignored; a leap second is the first moment of the next minute.
    ///
    /// - Returns: Milliseconds since 1970; nil for any other text, or a date that does not exist.
    package static func milliseconds(_ text: String) -> Int64? {
        var rest = text.utf8[...]
        guard let days = days(&rest) else { return nil }
        if rest.isEmpty { return days * 86_400_000 }
        guard take(&rest, among: "Tt "), let time = time(&rest), let offset = offset(&rest), rest.isEmpty else {
            return nil
        }
        return days * 86_400_000 + time - offset * 60_000
    }

    /// `2026-11-21`, in days since 1970-01-01 of the proleptic Gregorian calendar.
    private static func days(_ rest: inout Substring.UTF8View) -> Int64? {
        guard let year = number(&rest, digits: 4), take(&rest, among: "-"),
            let month = number(&rest, digits: 2), (1...12).contains(month), take(&rest, among: "-"),
            let day = number(&rest, digits: 2), day >= 1, day <= length(of: month, in: year)
        else { return nil }
        return CivilDate(year: year, month: month, day: day).days
    }

    private static func length(of month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: CivilDate.isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// `10:15:30.123`, in milliseconds.
    private static func time(_ rest: inout Substring.UTF8View) -> Int64? {
        guard let hour = number(&rest, digits: 2), hour < 24, take(&rest, among: ":"),
            let minute = number(&rest, digits: 2), minute < 60, take(&rest, among: ":"),
            let second = number(&rest, digits: 2), second <= 60
        else { return nil }
        var milliseconds = ((hour * 60 + minute) * 60 + second) * 1000
        if take(&rest, among: ".") {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            rest = rest.dropFirst(digits.count)
            for (digit, weight) in zip(digits, [100, 10, 1] as [Int64]) { milliseconds += Int64(digit - 0x30) * weight }
        }
        return milliseconds
    }

    /// `Z` or `+01:00`, as minutes east of UTC.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int64? {
        if take(&rest, among: "Zz") { return 0 }
        let isNegative = rest.first == UInt8(ascii: "-")
        guard take(&rest, among: "+-"), let hours = number(&rest, digits: 2), hours < 24, take(&rest, among: ":"),
            let minutes = number(&rest, digits: 2), minutes < 60
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func take(_ rest: inout Substring.UTF8View, among characters: StaticString) -> Bool {
        guard let byte = rest.first, characters.withUTF8Buffer({ unsafe $0.contains(byte) }) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func number(_ rest: inout Substring.UTF8View, digits: Int) -> Int64? {
        let part = rest.prefix(digits)
        guard part.count == digits, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        return part.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
