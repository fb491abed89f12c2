// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// The last changes of a target's state with how long each state lasted.
struct ChangeRows {
    private var rows: [(at: Timestamp?, words: String)] = []

    /// - Parameters:
    ///   - history: the answer of `/targets/{id}/history`, newest first.
    ///   - now: the time; nil if it is unknown.
    ///   - limit: how many changes at most.
    init(_ history: JSONValue, now: Timestamp?, limit: Int, terminal: Terminal) {
        var next = now
        var isNewest = true
        for change in history["transitions"]?.elements ?? [] {
            guard rows.count < limit else { break }
            // Only the reason changed: the state goes on.
            guard let to = change["to"]?.words, change["from"]?.text != change["to"]?.text else { continue }
            let moment = change["at"]?.moment
            var words = terminal.paint(to, StateColor.of(to))
            if let moment, let next {
                let length = DurationFormatter.long(
                    milliseconds: next.milliseconds.subtractingReportingOverflow(moment.milliseconds).0
                )
                words += isNewest ? ", for \(length) so far" : " for \(length)"
            }
            if let reason = change["reason"].flatMap({ ReasonFormatter.text($0, cause: change["cause"]) }) {
                words += ": \(reason)"
            }
            rows.append((moment, words))
            (next, isNewest) = (moment, false)
        }
    }

    /// Lines with a blank of two columns before them; none without a change.
    func lines(on terminal: Terminal, now: Timestamp?) -> [String] {
        rows.flatMap { row in
            let time = row.at.map { now.map { LocalTimeFormatter.recent(row.at ?? $0, $0) } ?? $0.description } ?? "?"
            return TerminalText.hanging("  " + terminal.paint(time, .faint) + "  ", row.words, to: terminal.width)
        }
    }
}
