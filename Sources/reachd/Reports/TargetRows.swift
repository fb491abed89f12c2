// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// A table of targets.
struct TargetRows {
    /// The fields to request from the service.
    static let fields = "id,name,group,state,since,reason,cause,pending,is_flapping,last_result"

    private var table = TextTable(["TARGET", "ID", "GROUP", "STATE", "FOR", "LATENCY", "WHY"])
    private(set) var count = 0
    var isEmpty: Bool { count == 0 }

    /// Adds a page of `/targets`.
    ///
    /// - Parameter isShown: whether a target gets a line.
    mutating func add(_ list: JSONValue, where isShown: (JSONValue) -> Bool = { _ in true }) {
        let now = list["generated_at"]?.moment
        for target in list["targets"]?.elements ?? [] where isShown(target) {
            let state = target["state"]?.words ?? "unknown"
            let id = target["id"]?.words ?? "?"
            let name = target["name"]?.words.flatMap { $0 == id ? nil : $0 }
            var span = ""
            if let now, let since = target["since"]?.moment {
                span = DurationFormatter.short(
                    milliseconds: now.milliseconds.subtractingReportingOverflow(since.milliseconds).0
                )
            }
            let isAnswer = target["last_result", "success"]?.boolean == true
            // The pauses between echo requests are not part of the latency.
            let seconds = target["last_result", "icmp", "avg_seconds"] ?? target["last_result", "duration_seconds"]
            let latency = isAnswer ? seconds?.number.map(DurationFormatter.latency) : nil
            table.add([
                .init(name ?? id),
                .init(name == nil ? "" : id),
                .init(target["group"]?.words ?? ""),
                .init(state, StateColor.of(state)),
                .init(span, isRight: true),
                .init(latency ?? "", isRight: true),
                .init(Self.why(target)),
            ])
            count += 1
        }
    }

    func lines(on terminal: Terminal) -> [String] { table.lines(on: terminal) }

    private static func why(_ target: JSONValue) -> String {
        var parts: [String] = []
        if target["is_flapping"]?.boolean == true { parts.append("flapping") }
        if let pending = target["pending"], let toward = pending["toward"]?.words {
            parts.append(
                pending["until"]?.moment.map { moment in
                    let time = LocalTimeFormatter.text(moment, withDate: false, withMilliseconds: false)
                    return "locations disagree, \(toward) at \(time)"
                } ?? "\(pending["count"]?.integer ?? 0) of \(pending["of"]?.integer ?? 0) results for \(toward)"
            )
        }
        if let reason = target["reason"], let text = ReasonFormatter.text(reason, cause: target["cause"]) {
            parts.append(text)
        }
        return parts.joined(separator: "; ")
    }
}
