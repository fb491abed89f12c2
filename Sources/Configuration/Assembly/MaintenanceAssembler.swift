// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Schema

/// Makes maintenance windows from checked mappings.
enum MaintenanceAssembler {
    static func assemble(_ target: ValidatedMapping, _ problems: inout MappingDiagnostics) -> [MaintenanceWindow] {
        target.objects("maintenance").compactMap { index, object in
            if object.has("from") || object.has("to") { return once(object, index, &problems) }
            let weekly = ["weekdays", "start", "duration"]
            let missing = weekly.filter { !object.has($0) }
            for key in missing {
                let words = "a maintenance needs the key \(key)"
                let hint = missing == weekly ? "write weekdays, start and duration, or from and to" : nil
                problems.add(.missingKey, at: object.place, pointer: "maintenance/\(index)", words, hint: hint)
            }
            guard let start = object.text("start"), let duration = object.duration("duration") else { return nil }
            let words = object.values("weekdays").compactMap { value in
                if case .text(let word) = value { word } else { nil }
            }
            if object.list("weekdays").isEmpty, case .list? = object["weekdays"]?.value {
                problems.add(
                    .invalidValue,
                    at: object.place(of: "weekdays"),
                    pointer: "maintenance/\(index)/weekdays",
                    "the list is empty, so the maintenance would never begin",
                    hint: "write daily for every day"
                )
            }
            let parts = start.split(separator: ":").compactMap { Int($0) }
            guard !words.isEmpty, parts.count == 2 else { return nil }
            guard duration.components.seconds % 60 == 0, duration.components.attoseconds == 0 else {
                problems.add(
                    .invalidValue,
                    at: object.place(of: "duration"),
                    pointer: "maintenance/\(index)/duration",
                    "a maintenance lasts whole minutes"
                )
                return nil
            }
            if object.has("timezone"), object.isWritten("utc_offset_minutes") {
                let words = "timezone already determines the offset"
                let pointer = "maintenance/\(index)/utc_offset_minutes"
                problems.add(
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
                let words = "the window is invalid: \(error.rawValue)"
                problems.add(.outOfRange, at: object.place, pointer: "maintenance/\(index)", words)
                return nil
            }
        }
    }

    /// A one-time maintenance.
    private static func once(
        _ object: ValidatedMapping,
        _ index: Int,
        _ problems: inout MappingDiagnostics
    ) -> MaintenanceWindow? {
        let pointer = "maintenance/\(index)"
        for key in ["weekdays", "start", "duration", "timezone", "utc_offset_minutes"] where object.isWritten(key) {
            let words = "\(key) is for a weekly maintenance"
            problems.add(.conflict, at: object.place(of: key), pointer: "\(pointer)/\(key)", words, hint: "remove it")
        }
        for key in ["from", "to"] where !object.has(key) {
            problems.add(
                .missingKey,
                at: object.place,
                pointer: pointer,
                "a one-time maintenance needs the key \(key)"
            )
        }
        guard case .time(let from)? = object["from"]?.value, case .time(let to)? = object["to"]?.value else {
            return nil
        }
        do throws(MaintenanceWindowError) {
            return try MaintenanceWindow(from: from, to: to)
        } catch {
            let place = object.place(of: "to")
            problems.add(.conflict, at: place, pointer: "\(pointer)/to", "it is not after from")
            return nil
        }
    }

    private static func weekday(_ word: String) -> Weekday? {
        Weekday.allCases.first { "\($0)" == word }
    }
}
