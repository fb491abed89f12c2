// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A date of the proleptic Gregorian calendar, convertible to days since 1970-01-01.
package struct CivilDate: Hashable, Sendable {
    package let year, month, day: Int64

    /// Creates a date without checking that it exists.
    package init(year: Int64, month: Int64, day: Int64) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// Creates the date of a day, by shifting the year's start to March.
    ///
    /// - Parameter days: counted from 1970-01-01; negative before it.
    package init(days: Int64) {
        let shifted = days + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// The days since 1970-01-01.
    package var days: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.floored(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Whether a year has a 29th of February.
    package static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
}

extension Int64 {
    /// The quotient, rounded down.
    package func floored(by divisor: Int64) -> Int64 { self >= 0 ? self / divisor : (self + 1) / divisor - 1 }

    /// The remainder, from 0 to the divisor.
    package func modulo(_ divisor: Int64) -> Int64 { self - floored(by: divisor) * divisor }
}
