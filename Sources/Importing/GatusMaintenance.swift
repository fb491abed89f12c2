// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Gatus' maintenance windows, as ours.
enum GatusMaintenance {
    static func windows(_ nodes: [YAMLNode], _ title: String, _ draft: inout ImportDraft) -> [YAMLText] {
        nodes.compactMap { node in
            guard var window = ForeignMapping(node), window.boolean("enabled") ?? true else { return nil }
            guard let start = window.text("start"), let duration = window.text("duration").flatMap(GoDuration.text)
            else {
                draft.note(node, "\(title): a maintenance without start and duration is not carried over")
                return nil
            }
            let days = window.texts("every").map { $0.lowercased() }
            if let zone = window.take("timezone"), let name = zone.text,
                !["utc", "etc/utc", "gmt"].contains(name.lowercased())
            {
                draft.note(zone, "\(title): the time zone \(name.quoted) is not carried over: write utc_offset_minutes")
            }
            window.noteRest(of: "\(title): maintenance", &draft)
            return .mapping([
                ("weekdays", .list(days.isEmpty ? [.word("daily")] : days.map { .text($0) })),
                ("start", .word("\"\(start.filter { $0.isNumber || $0 == ":" })\"")), ("duration", duration),
            ])
        }
    }
}
