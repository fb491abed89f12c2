// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A moment as people write it (RFC 3339): `2026-02-15T00:00:00Z`, `2026-02-15T01:00:00.5+01:00`.
enum MomentText {
    private static let monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    /// - Returns: Whole seconds since 1970, fractions left out; nil for anything else than a moment.
    static func seconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        guard let year = number(4, &rest), take("-", &rest), let month = number(2, &rest), take("-", &rest),
            let day = number(2, &rest), take("Tt ", &rest), let hour = number(2, &rest), take(":", &rest),
            let minute = number(2, &rest), take(":", &rest), let second = number(2, &rest)
        else { return nil }
        guard (1...12).contains(month), (1...length(of: month, in: year)).contains(day), hour < 24, minute < 60,
            // 60 is a leap second, which the system's clock counts as the next one.
            second <= 60
        else { return nil }
        if take(".", &rest) {
            let digits = rest.prefix { isDigit($0) }
            guard (1...9).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        return days(year, month, day) * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset)
    }

    /// How far local time is before UTC, in seconds.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if take("Zz", &rest) { return 0 }
        let isBehind = rest.first == UInt8(ascii: "-")
        guard take("+-", &rest), let hour = number(2, &rest), take(":", &rest), let minute = number(2, &rest),
            hour < 24, minute < 60
        else { return nil }
        return (hour * 3_600 + minute * 60) * (isBehind ? -1 : 1)
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar; years begin in March, so that leap days end them.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shifted = year + 400 - (month <= 2 ? 1 : 0)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return Int64(shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 146_097 - 719_468)
    }

    private static func length(of month: Int, in year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 && isLeap ? 29 : monthLengths[month - 1]
    }

    private static func number(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func take(_ choices: StaticString, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, choices.withUTF8Buffer({ unsafe $0.contains(first) }) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
