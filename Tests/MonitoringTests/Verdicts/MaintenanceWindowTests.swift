// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@Suite("Maintenance windows")
struct MaintenanceWindowTests {
    private static let minute: Int64 = 60_000
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 86_400_000
    /// 2026-11-23T00:00Z, a Monday.
    private static let monday: Int64 = 1_795_392_000_000

    @Test("A single window is active from its first to its last millisecond, and never again")
    func once() throws {
        let window = try MaintenanceWindow(from: 1000, to: 2000)
        #expect([999, 1000, 1999, 2000].map(window.isActive) == [false, true, true, false])
        #expect([0, 999, 1000, 1999, 2000].map(window.nextChange) == [1000, 1000, 2000, 2000, nil])
    }

    @Test("A weekly window at 23:30 for two hours extends into the next day and week")
    func weekly() throws {
        let window = try MaintenanceWindow(
            weekdays: [.monday, .saturday],
            startMinute: 23 * 60 + 30,
            durationMinutes: 120
        )
        let start = Self.monday + 23 * Self.hour + 30 * Self.minute
        #expect(
            [start - 1, start, start + 2 * Self.hour - 1, start + 2 * Self.hour].map(window.isActive) == [
                false, true, true, false,
            ]
        )
        #expect(window.nextChange(after: Self.monday) == start)
        #expect(window.nextChange(after: start) == start + 2 * Self.hour)
        #expect(window.nextChange(after: start + 2 * Self.hour) == start + 5 * Self.day)
        #expect(window.nextChange(after: start + 6 * Self.day) == start + 7 * Self.day)
        #expect(window.isActive(at: start - 7 * 52 * 60 * Self.day))
    }

    @Test("An offset moves it, also across the end of the week")
    func offset() throws {
        // Monday 00:30 at +02:00 is Sunday 22:30 in UTC.
        let east = try MaintenanceWindow(
            weekdays: [.monday],
            startMinute: 30,
            durationMinutes: 1,
            utcOffsetMinutes: 120
        )
        #expect(east.nextChange(after: Self.monday - Self.day) == Self.monday - 90 * Self.minute)
        let west = try MaintenanceWindow(
            weekdays: [.sunday],
            startMinute: 1439,
            durationMinutes: 1,
            utcOffsetMinutes: -720
        )
        #expect(west.nextChange(after: Self.monday) == Self.monday + 12 * Self.hour - Self.minute)
    }

    @Test("Adjacent and overlapping windows are merged, and a whole week never changes")
    func overlap() throws {
        let two = try MaintenanceWindow(weekdays: [.monday, .tuesday], startMinute: 0, durationMinutes: 1440)
        #expect(two.nextChange(after: Self.monday) == Self.monday + 2 * Self.day)
        let always = try MaintenanceWindow(weekdays: Set(Weekday.allCases), startMinute: 77, durationMinutes: 1440)
        #expect(always.isActive(at: 0))
        #expect(always.nextChange(after: 0) == nil)
        #expect(
            try MaintenanceWindow(weekdays: [.friday], startMinute: 77, durationMinutes: 10_080).nextChange(after: 0)
                == nil
        )
    }

    @Test("1970-01-01 was a Thursday; earlier and extreme times do not overflow")
    func extremes() throws {
        let window = try MaintenanceWindow(weekdays: [.thursday], startMinute: 0, durationMinutes: 1)
        #expect(window.isActive(at: 0))
        #expect(!window.isActive(at: -1))
        #expect(window.nextChange(after: -1) == 0)
        #expect(window.nextChange(after: .max) == nil)
        #expect(window.nextChange(after: .min).map { $0 > .min } == true)
        _ = window.isActive(at: .min)
        #expect(try MaintenanceWindow(from: .min, to: .max).nextChange(after: 0) == .max)
    }

    @Test("Each fault has its code")
    func refusals() {
        func error(_ days: Set<Weekday>, _ start: Int, _ duration: Int, _ offset: Int) -> MaintenanceWindowError? {
            do {
                _ = try MaintenanceWindow(
                    weekdays: days,
                    startMinute: start,
                    durationMinutes: duration,
                    utcOffsetMinutes: offset
                )
                return nil
            } catch { return error }
        }
        #expect(error([], 0, 1, 0) == .noWeekday)
        #expect(error([.monday], -1, 1, 0) == .startMinute)
        #expect(error([.monday], 1440, 1, 0) == .startMinute)
        #expect(error([.monday], 0, 0, 0) == .duration)
        #expect(error([.monday], 0, 10_081, 0) == .duration)
        #expect(error([.monday], 0, 1, 841) == .utcOffset)
        #expect(error([.monday], 0, 1, -721) == .utcOffset)
        #expect(throws: MaintenanceWindowError.emptyPeriod) { try MaintenanceWindow(from: 5, to: 5) }
    }

    @Test("Random windows, minute by minute over two weeks: the next change is correct")
    func random() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<12 {
            let days = Set(Weekday.allCases.filter { _ in generator.once(in: 3) }).union([.wednesday])
            let window = try MaintenanceWindow(
                weekdays: days,
                startMinute: .random(in: 0...1439, using: &generator),
                durationMinutes: .random(in: 1...4000, using: &generator),
                utcOffsetMinutes: .random(in: -720...840, using: &generator)
            )
            var expected = window.nextChange(after: Self.monday)
            var isOn = window.isActive(at: Self.monday)
            for step in 1..<Int64(14 * 1440) {
                let time = Self.monday + step * Self.minute
                let isOnNow = window.isActive(at: time)
                guard isOnNow != isOn else { continue }
                #expect(expected == time)
                isOn = isOnNow
                expected = window.nextChange(after: time)
            }
        }
    }
}
