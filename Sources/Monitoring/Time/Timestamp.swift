// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import JSON
import Schema

/// A moment of wall-clock time, in milliseconds since 1970-01-01T00:00:00Z; written as RFC 3339 in UTC.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since the epoch; negative before it.
    package let milliseconds: Int64

    /// Creates a moment.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// A moment of whole seconds; beyond what can be represented the nearest that can.
    package init(seconds: Int64) {
        let (milliseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = isTooFar ? (seconds < 0 ? .min : .max) : milliseconds
    }

    /// Reads a date or a date-time as RFC 3339 has them; a date alone is its first moment in UTC.
    ///
    /// - Parameter text: The text; nil comes of everything that is none of these, or no date of the calendar.
    package init?(parsing text: String) {
        guard let milliseconds = MomentText.milliseconds(text) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// Earlier before later.
    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    /// Appends `2026-11-21T10:15:30.123Z`; the years 0 to 9999 are representable, others are clamped to them.
    package func append(to bytes: inout [UInt8]) {
        let clamped = min(max(milliseconds, Self.earliest), Self.latest)
        let day: Int64 = 86_400_000
        let days = (clamped >= 0 ? clamped : clamped - day + 1) / day
        let time = clamped - days * day
        let date = CivilDate(days: days)
        Self.digits(date.year, 4, &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.digits(date.month, 2, &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.digits(date.day, 2, &bytes)
        bytes.append(UInt8(ascii: "T"))
        Self.digits(time / 3_600_000, 2, &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.digits(time / 60_000 % 60, 2, &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.digits(time / 1000 % 60, 2, &bytes)
        bytes.append(UInt8(ascii: "."))
        Self.digits(time % 1000, 3, &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    private static let earliest: Int64 = -62_167_219_200_000
    private static let latest: Int64 = 253_402_300_799_999

    private static func digits(_ value: Int64, _ count: Int, _ bytes: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<count { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }
}

extension Timestamp: CustomStringConvertible {
    /// The RFC 3339 form.
    package var description: String {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// A time, as RFC 3339 has it.
    package mutating func time(_ value: Timestamp) { plain { value.append(to: &$0) } }

    /// A time, as RFC 3339 has it.
    package mutating func member(_ name: StaticString, _ value: Timestamp) {
        key(name)
        time(value)
    }
}
