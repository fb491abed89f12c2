// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A moment as HTTP's headers have it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7); its two obsolete forms
/// are not read.
package struct HTTPMoment {
    /// In seconds since 1970.
    package let seconds: Int64

    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= 40 else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", parts[3].utf8.count == 4,
            let day = Self.number(parts[1]), (1...31).contains(day),
            let month = Self.months.firstIndex(of: String(parts[2])), let year = Self.number(parts[3])
        else { return nil }
        let time = parts[4].split(separator: ":").compactMap(Self.number)
        guard time.count == 3, time[0] < 24, time[1] < 60, time[2] <= 60 else { return nil }
        let days = Self.days(year, Int64(month) + 1, day)
        seconds = ((days * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    /// Days since 1970 in the calendar of today, for years from 0 on: years are counted from March, so that the day that
    /// some of them lack is their last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
