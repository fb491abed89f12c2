// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Schema

/// Makes declared maintenances of checked mappings.
enum MaintenanceAssembler {
    static func assemble(_ target: CheckedObject, _ complaints: inout TargetComplaints) -> [MaintenanceWindow] {
        target.objects("maintenance").compactMap { index, object in
            guard let start = object.text("start"), let duration = object.duration("duration") else { return nil }
            let words = object.values("weekdays").compactMap { value in
                if case .text(let word) = value { word } else { nil }
            }
            if object.list("weekdays").isEmpty, case .list? = object["weekdays"]?.value {
                complaints.add(
                    .invalidValue,
                    at: object.place(of: "weekdays"),
                    pointer: "maintenance/\(index)/weekdays",
                    "the list is empty, and the maintenance would never be",
                    hint: "write daily for every day"
                )
            }
            let parts = start.split(separator: ":").compactMap { Int($0) }
            guard !words.isEmpty, parts.count == 2 else { return nil }
            guard duration.components.seconds % 60 == 0, duration.components.attoseconds == 0 else {
                complaints.add(
                    .invalidValue,
                    at: object.place(of: "duration"),
                    pointer: "maintenance/\(index)/duration",
                    "a maintenance takes whole minutes"
                )
                return nil
            }
            if object.has("timezone"), object.isWritten("utc_offset_minutes") {
                let words = "timezone has the offset, in summer and in winter"
                let pointer = "maintenance/\(index)/utc_offset_minutes"
                complaints.add(
                    .conflict,
                    at: object.place(of: "utc_offset_minutes"),
                    pointer: pointer,
                    words,
                    hint: "remove it"
                )
            }
            guard !object.isFaulty("timezone") else { return nil }
            let weekdays = words.contains("daily") ? Set(Weekday.allCases) : Set(words.compactMap(weekday))
            let minute = parts[0] * 60 + parts[1]
            let minutes = Int(duration.components.seconds / 60)
            do throws(MaintenanceWindowError) {
                if let zone: TimeZoneRules = object.special("timezone") {
                    return try MaintenanceWindow(
                        weekdays: weekdays,
                        startMinute: minute,
                        durationMinutes: minutes,
                        zone: zone
                    )
                }
                let offset = object.integer("utc_offset_minutes") ?? 0
                return try MaintenanceWindow(
                    weekdays: weekdays,
                    startMinute: minute,
                    durationMinutes: minutes,
                    utcOffsetMinutes: offset
                )
            } catch {
                let words = "the window is not possible: \(error.rawValue)"
                complaints.add(.outOfRange, at: object.place, pointer: "maintenance/\(index)", words)
                return nil
            }
        }
    }

    private static func weekday(_ word: String) -> Weekday? {
        Weekday.allCases.first { "\($0)" == word }
    }
}
