// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Converts Gatus' maintenance windows.
enum GatusMaintenance {
    static func windows(_ nodes: [YAMLNode], _ title: NoteSubject, _ draft: inout ImportDraft) -> [YAMLText] {
        nodes.compactMap { node in
            guard var window = ForeignMapping(node), window.boolean("enabled") ?? true else { return nil }
            guard let start = window.text("start"), let duration = window.text("duration").flatMap(GoDuration.text)
            else {
                draft.lose(.setting, node, "\(title): a maintenance without start and duration is not carried over")
                return nil
            }
            let days = window.texts("every").map { $0.lowercased() }
            var pairs: [(String, YAMLText)] = [
                ("weekdays", .list(days.isEmpty ? [.word("daily")] : days.map { .text($0) })),
                ("start", .word("\"\(start.filter { $0.isNumber || $0 == ":" })\"")), ("duration", duration),
            ]
            if let zone = window.take("timezone"), let name = zone.text,
                !["utc", "etc/utc", "gmt"].contains(name.lowercased())
            {
                if isTimeZone(name) {
                    pairs.append(("timezone", .text(name)))
                } else {
                    draft.lose(
                        .setting,
                        zone,
                        "\(title): the time zone \(name.quoted) is not carried over, because this system's zoneinfo "
                            + "lacks it; the times are UTC: add timezone to the maintenance"
                    )
                }
            }
            window.noteRest(of: "\(title): maintenance", &draft)
            return .mapping(pairs)
        }
    }

    /// Whether reachd's reader accepts a time zone; otherwise every target with the maintenance would be left out.
    static func isTimeZone(_ name: String) -> Bool {
        let window: [(String, YAMLText)] = [
            ("weekdays", .word("daily")), ("start", .word("\"00:00\"")), ("duration", .word("1h")),
            ("timezone", .text(name)),
        ]
        let target: [(String, YAMLText)] = [
            ("address", .word("127.0.0.1")), ("maintenance", .list([.mapping(window)])),
        ]
        let text = YAMLText.document([("targets", .list([.mapping(target)]))])
        return (try? ConfigurationLoader().load(bytes: Array(text.utf8), path: "")) != nil
    }
}
