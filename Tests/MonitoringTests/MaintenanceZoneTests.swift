// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@Suite struct MaintenanceZoneTests {
    @Test("A maintenance window in a time zone is on time across both daylight saving changes")
    func maintenance() throws {
        let zone = try #require(TimeZoneRules("Europe/Berlin"))
        let window = try MaintenanceWindow(
            weekdays: Set(Weekday.allCases),
            startMinute: 210,
            durationMinutes: 60,
            zone: zone
        )
        func time(_ text: String) throws -> Int64 { try #require(Timestamp(parsing: text)).milliseconds }
        // Half past three is 02:30 UTC in winter and 01:30 in summer.
        var now = try time("2026-03-27T12:00:00Z")
        var changes: [String] = []
        for _ in 0..<6 {
            now = try #require(window.nextChange(after: now))
            changes.append("\(Timestamp(milliseconds: now)) \(window.isActive(at: now))")
        }
        #expect(
            changes == [
                "2026-03-28T02:30:00.000Z true", "2026-03-28T03:30:00.000Z false", "2026-03-29T01:30:00.000Z true",
                "2026-03-29T02:30:00.000Z false", "2026-03-30T01:30:00.000Z true", "2026-03-30T02:30:00.000Z false",
            ]
        )
        let autumn = try time("2026-10-24T12:00:00Z")
        #expect(window.nextChange(after: autumn) == (try time("2026-10-25T02:30:00Z")))
        let sunday = try MaintenanceWindow(weekdays: [.sunday], startMinute: 0, durationMinutes: 10_080, zone: zone)
        #expect(sunday.isActive(at: autumn), "a week without a gap")
        for (weekday, day) in [(Weekday.saturday, "2026-10-24"), (.monday, "2026-10-26")] {
            let one = try MaintenanceWindow(weekdays: [weekday], startMinute: 720, durationMinutes: 1, zone: zone)
            let offset = day == "2026-10-24" ? "10" : "11"
            let (during, after) = (try time("\(day)T\(offset):00:30Z"), try time("\(day)T\(offset):01:00Z"))
            #expect(one.isActive(at: during) && !one.isActive(at: after))
        }
    }
}
