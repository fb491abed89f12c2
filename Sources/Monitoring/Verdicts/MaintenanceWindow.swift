// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// A declared maintenance: once, or every week. A window begins with its first millisecond and ends before its last one.
package struct MaintenanceWindow: Sendable, Hashable {
    private enum Recurrence: Sendable, Hashable {
        case once(from: Int64, to: Int64)
        /// The starts are milliseconds into a week that begins at 1970-01-01T00:00Z, a Thursday.
        case weekly(starts: [Int64], duration: Int64)
        /// By the clocks of a place; the start is in seconds after midnight, the duration in milliseconds.
        case local(weekdays: Set<Weekday>, start: Int64, duration: Int64, zone: TimeZoneRules)
    }

    /// What a weekly window's start may be, in minutes after midnight.
    package static let startRange = 0...1439
    /// What a weekly window's duration may be, in minutes.
    package static let durationRange = 1...10_080
    /// What an offset from UTC may be, in minutes.
    package static let utcOffsetRange = -720...840

    private static let minute: Int64 = 60_000
    private static let week: Int64 = 10_080 * minute
    private let recurrence: Recurrence

    /// A window that comes once.
    ///
    /// - Parameters:
    ///   - from: its first moment, in milliseconds since the epoch.
    ///   - to: the first moment after it.
    package init(from: Int64, to: Int64) throws(MaintenanceWindowError) {
        guard from < to else { throw .emptyPeriod }
        recurrence = .once(from: from, to: to)
    }

    /// A window that comes every week.
    ///
    /// - Parameters:
    ///   - weekdays: the days on which it begins, where the offset applies.
    ///   - startMinute: when it begins, in minutes after midnight there.
    ///   - durationMinutes: how long it is; may reach into the next days, and into itself.
    ///   - utcOffsetMinutes: how far local time is before UTC's, always: there is no summer time in an offset.
    package init(
        weekdays: Set<Weekday>,
        startMinute: Int,
        durationMinutes: Int,
        utcOffsetMinutes: Int = 0
    ) throws(MaintenanceWindowError) {
        guard !weekdays.isEmpty else { throw .noWeekday }
        guard Self.startRange.contains(startMinute) else { throw .startMinute }
        guard Self.durationRange.contains(durationMinutes) else { throw .duration }
        guard Self.utcOffsetRange.contains(utcOffsetMinutes) else { throw .utcOffset }
        let starts = weekdays.map { day in
            let days = day.rawValue - Weekday.thursday.rawValue
            return Self.timeOfWeek(Int64(days * 1440 + startMinute - utcOffsetMinutes) * Self.minute)
        }
        recurrence = .weekly(starts: starts.sorted(), duration: Int64(durationMinutes) * Self.minute)
    }

    /// A window that comes every week by the clocks of a place, in summer and in winter.
    ///
    /// Where the clocks skip the start it begins as much later; where they show it twice, the first time. The duration is elapsed
    /// time.
    ///
    /// - Parameters:
    ///   - weekdays: the days on which it begins there.
    ///   - startMinute: when it begins, in minutes after midnight there.
    ///   - durationMinutes: how long it is; may reach into the next days, and into itself.
    ///   - zone: the place.
    package init(
        weekdays: Set<Weekday>,
        startMinute: Int,
        durationMinutes: Int,
        zone: TimeZoneRules
    ) throws(MaintenanceWindowError) {
        // What is checked is the same.
        _ = try Self(weekdays: weekdays, startMinute: startMinute, durationMinutes: durationMinutes)
        recurrence = .local(
            weekdays: weekdays,
            start: Int64(startMinute) * 60,
            duration: Int64(durationMinutes) * Self.minute,
            zone: zone
        )
    }

    /// Whether the maintenance is on.
    ///
    /// - Parameter time: milliseconds since the epoch.
    package func isActive(at time: Int64) -> Bool {
        switch recurrence {
        case .once(let from, let to): return from <= time && time < to
        case .weekly(let starts, let duration):
            let now = Self.timeOfWeek(time)
            return starts.contains { Self.timeOfWeek(now - $0) < duration }
        case .local(_, _, let duration, _):
            return starts(around: time, days: 1).contains { $0 <= time && time < $0 + duration }
        }
    }

    /// When a window by the clocks of a place begins, from the last that can be on to some days later; milliseconds since the epoch.
    private func starts(around time: Int64, days: Int64) -> [Int64] {
        // Beyond what a calendar has, nothing is known.
        guard case .local(let weekdays, let start, let duration, let zone) = recurrence,
            abs(time) < Self.week * 500_000
        else { return [] }
        let first = (time - duration).floored(by: 86_400_000) - 1
        let last = time.floored(by: 86_400_000) + days
        return (first...last).compactMap { day in
            let weekday = Weekday(rawValue: Int((day + 3).modulo(7)) + 1)
            guard let weekday, weekdays.contains(weekday) else { return nil }
            return zone.moment(local: day * 86_400 + start) * 1_000
        }
    }

    /// The first moment after `time` at which ``isActive(at:)`` becomes another; nil when it never does.
    ///
    /// - Parameter time: milliseconds since the epoch.
    package func nextChange(after time: Int64) -> Int64? {
        switch recurrence {
        case .once(let from, let to):
            if time < from { return from }
            return time < to ? to : nil
        case .weekly(let starts, let duration):
            let now = Self.timeOfWeek(time)
            let isOn = isActive(at: time)
            let waits = (starts + starts.map { $0 + duration }).map { Self.timeOfWeek($0 - now) }
            for wait in waits.sorted() {
                let (moment, isBeyondTime) = time.addingReportingOverflow(wait)
                if isBeyondTime { return nil }
                if isActive(at: moment) != isOn { return moment }
            }
            return nil
        case .local(_, _, let duration, _):
            let isOn = isActive(at: time)
            let starts = starts(around: time, days: 9)
            return (starts + starts.map { $0 + duration }).sorted().first { $0 > time && isActive(at: $0) != isOn }
        }
    }

    private static func timeOfWeek(_ time: Int64) -> Int64 {
        let rest = time % week
        return rest < 0 ? rest + week : rest
    }
}

/// Why a maintenance window was refused; raw values are stable codes.
package enum MaintenanceWindowError: String, Error, Sendable, Hashable, CaseIterable {
    /// The end is not after the start.
    case emptyPeriod = "empty_period"
    /// No weekday was named.
    case noWeekday = "no_weekday"
    /// The start is not a minute of a day.
    case startMinute = "start_minute"
    /// The duration is not between a minute and a week.
    case duration
    /// The offset is not one that a place on earth has.
    case utcOffset = "utc_offset"
}

/// A day of the week; raw values are ISO 8601's numbers, Monday is 1.
package enum Weekday: Int, Sendable, Hashable, CaseIterable {
    case monday = 1
    case tuesday
    case wednesday
    case thursday
    case friday
    case saturday
    case sunday
}
