// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Monitoring
import Schema

/// Converts Uptime Kuma's maintenances: weekly ones, and single ones.
enum KumaMaintenance {
    /// The windows by the number of the monitor.
    static func windows(_ tables: KumaTables, _ draft: inout ImportDraft) -> [Int: [YAMLText]] {
        var windows: [Int: [YAMLText]] = [:]
        for maintenance in tables.maintenances {
            let title = NoteSubject(term: "the maintenance", name: (maintenance.text("title") ?? "").quoted)
            guard maintenance.flag("active", default: true) else {
                draft.note(maintenance.node, "\(title) is not carried over: it is not active")
                continue
            }
            let monitors = maintenance.integer("id").flatMap { tables.maintained[$0] } ?? []
            guard !monitors.isEmpty else {
                draft.note(maintenance.node, "\(title) is not carried over: it has no monitors")
                continue
            }
            let zone = zone(of: maintenance, tables, title, &draft)
            let made = single(maintenance, zone) ?? weekly(maintenance, zone)
            guard let made else {
                let strategy = (maintenance.text("strategy") ?? "").quoted
                let words: NoteText = "reachd's maintenances are weekly or single, and this is \(strategy)"
                draft.lose(.setting, maintenance.node, "\(title) is not carried over: \(words)")
                continue
            }
            if maintenance.text("strategy") != "single", maintenance.text("end_date") != nil {
                draft.lose(.setting, maintenance.node, "\(title): its last day is not carried over; it goes on")
            }
            for monitor in Set(monitors) { windows[monitor, default: []] += made }
        }
        return windows
    }

    /// The time zone; UTC if it is not known.
    private static func zone(
        of maintenance: KumaRow,
        _ tables: KumaTables,
        _ title: NoteSubject,
        _ draft: inout ImportDraft
    ) -> String {
        let own = maintenance.text("timezone").flatMap { $0 == "SAME_AS_SERVER" ? nil : $0 }
        guard let name = own ?? tables.setting("serverTimezone")?.text else {
            draft.note(
                maintenance.node,
                "\(title): its time zone is that of the server, which is not known; it is UTC now"
            )
            return "UTC"
        }
        if ["utc", "etc/utc", "gmt"].contains(name.lowercased()) || GatusMaintenance.isTimeZone(name) { return name }
        draft.lose(
            .setting,
            maintenance.node,
            "\(title): the time zone \(name.quoted) is not carried over, because this system's zoneinfo lacks it; it is UTC now"
        )
        return "UTC"
    }

    private static func single(_ maintenance: KumaRow, _ zone: String) -> [YAMLText]? {
        guard maintenance.text("strategy") == "single", let from = moment(maintenance.text("start_date"), zone),
            let to = moment(maintenance.text("end_date"), zone)
        else { return nil }
        return [.mapping([("from", .text("\(from)")), ("to", .text("\(to)"))])]
    }

    /// The moment of a date and time in a zone.
    private static func moment(_ text: String?, _ zone: String) -> Timestamp? {
        guard var text, text.utf8.count < 32 else { return nil }
        if text.hasSuffix("Z") { return Timestamp(parsing: text) }
        text = text.split(separator: " ").joined(separator: "T")
        if text.utf8.count == 16 { text += ":00" }
        guard let local = Timestamp(parsing: text + "Z") else { return nil }
        guard let rules = TimeZoneRules(zone) else { return local }
        return Timestamp(seconds: rules.moment(local: local.milliseconds / 1_000))
    }

    private static func weekly(_ maintenance: KumaRow, _ zone: String) -> [YAMLText]? {
        switch maintenance.text("strategy") {
        case "recurring-weekday":
            let days = maintenance.texts("weekdays").compactMap { Int($0).flatMap(day) }
            return days.isEmpty ? nil : hours(maintenance, days, zone)
        case "recurring-interval" where maintenance.integer("interval_day") == 1:
            return hours(maintenance, ["daily"], zone)
        case "cron": return cron(maintenance, zone)
        default: return nil
        }
    }

    private static func day(_ number: Int) -> String? {
        let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        return names.indices.contains(number) ? names[number] : nil
    }

    /// From one time of the day to another, of the next day if it is earlier.
    private static func hours(_ maintenance: KumaRow, _ days: [String], _ zone: String) -> [YAMLText]? {
        guard let start = minutes(maintenance.text("start_time")), let end = minutes(maintenance.text("end_time"))
        else {
            return nil
        }
        return [window(days, start, (end - start + 1_440) % 1_440, zone)]
    }

    private static func minutes(_ time: String?) -> Int? {
        let parts = (time ?? "").split(separator: ":").map { Int($0) }
        guard parts.count >= 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
            (0..<60).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    private static func window(_ days: [String], _ start: Int, _ minutes: Int, _ zone: String) -> YAMLText {
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
        return .mapping([
            ("weekdays", .list(days.map { .text($0) })),
            ("start", .word("\"\(two(start / 60)):\(two(start % 60))\"")), ("duration", .word("\(minutes)m")),
            ("timezone", .text(zone)),
        ])
    }

    /// An expression of cron with times of the day and days of the week: a window for each time.
    private static func cron(_ maintenance: KumaRow, _ zone: String) -> [YAMLText]? {
        var fields = (maintenance.text("cron") ?? "").split(separator: " ").map(String.init)
        if fields.count == 6 { fields.removeFirst() }
        guard fields.count == 5, fields[2] == "*" || fields[2] == "?", fields[3] == "*",
            let minutes = numbers(fields[0], in: 0...59), let hours = numbers(fields[1], in: 0...23),
            minutes.count * hours.count <= 24, let seconds = maintenance.integer("duration"), seconds >= 60
        else { return nil }
        var days = ["daily"]
        if fields[4] != "*", fields[4] != "?" {
            guard let numbers = numbers(fields[4], in: 0...7) else { return nil }
            days = numbers.compactMap(day)
        }
        let length = min(seconds / 60, 7 * 1_440)
        return hours.flatMap { hour in minutes.map { window(days, hour * 60 + $0, length, zone) } }
    }

    /// The numbers of a field, also by the names of days; nil for steps.
    private static func numbers(_ field: String, in range: ClosedRange<Int>) -> [Int]? {
        let names = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
        func number(_ text: Substring) -> Int? {
            let day = range.upperBound == 7 ? names.firstIndex(of: text.uppercased()) : nil
            guard let number = day ?? Int(text), range.contains(number) else { return nil }
            return number
        }
        if field == "*", range.upperBound == 23 { return Array(range) }
        var result: [Int] = []
        for part in field.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(number)
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last
            else {
                return nil
            }
            result += Array(first...last)
        }
        return result
    }
}
