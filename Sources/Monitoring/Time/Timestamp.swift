// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
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
        guard let milliseconds = TimestampText.milliseconds(text) else { return nil }
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
        // Every event has one: it is put together beside the array, which is looked at once.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { text in
            unsafe text.initialize(repeating: 0)
            unsafe Self.write(date.year / 100, to: text, at: 0)
            unsafe Self.write(date.year % 100, to: text, at: 2, "-")
            unsafe Self.write(date.month, to: text, at: 5, "-")
            unsafe Self.write(date.day, to: text, at: 8, "T")
            unsafe Self.write(time / 3_600_000, to: text, at: 11, ":")
            unsafe Self.write(time / 60_000 % 60, to: text, at: 14, ":")
            unsafe Self.write(time / 1000 % 60, to: text, at: 17, ".")
            unsafe Self.write(time % 1000 / 10, to: text, at: 20, "Z")
            unsafe text[22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: time % 10)
            unsafe text[23] = UInt8(ascii: "Z")
            unsafe bytes.append(contentsOf: text)
        }
    }

    private static let earliest: Int64 = -62_167_219_200_000
    private static let latest: Int64 = 253_402_300_799_999

    /// Writes two digits and what follows them.
    private static func write(
        _ value: Int64,
        to text: UnsafeMutableBufferPointer<UInt8>,
        at index: Int,
        _ separator: Unicode.Scalar = "0"
    ) {
        unsafe text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
        unsafe text[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
        unsafe text[index + 2] = UInt8(ascii: separator)
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

/// What time it is for people; injected so that tests can name the moments.
package protocol WallClock: Sendable {
    /// The current time; may step back when the machine's clock is set.
    func now() -> Timestamp
}

/// `CLOCK_REALTIME`.
package struct SystemWallClock: WallClock {
    /// Creates the clock.
    package init() {}

    /// The machine's idea of UTC.
    package func now() -> Timestamp {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
