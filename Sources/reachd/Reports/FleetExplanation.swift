// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Says how a fleet's locations decided a target's state.
enum FleetExplanation {
    /// - Parameter target: the answer of `/targets/{id}` in the fleet's scope.
    static func sentences(_ target: JSONValue) -> [String] {
        var sentences: [String] = []
        if let quorum = target["quorum"] {
            let counts = ["well", "ill", "against", "void"].compactMap { name -> String? in
                guard let count = quorum[name]?.integer, count > 0 else { return nil }
                return "\(count) \(name)"
            }
            let needed = quorum["needed"]?.integer ?? 1
            sentences.append(
                "Votes: \(counts.joined(separator: ", ")); \(needed) against \(needed == 1 ? "sets" : "set") it down."
            )
        }
        if let pending = target["pending"], let toward = pending["toward"]?.words, let until = pending["until"]?.moment
        {
            let time = LocalTimeFormatter.text(until, withDate: false, withMilliseconds: false)
            sentences.append("Its locations disagree: it becomes \(toward) at \(time) unless they agree before.")
        }
        sentences += (target["votes"]?.elements ?? []).prefix(64).map(vote)
        return sentences
    }

    private static func vote(_ vote: JSONValue) -> String {
        let location = vote["location"]?.words ?? "?"
        let node = vote["node"]?.words.map { " (\($0))" } ?? ""
        var text =
            "\(location)\(node): \(vote["state"]?.words ?? "unknown"), counts as \(vote["counts_as"]?.words ?? "?")"
        if let reason = vote["void_reason"]?.text { text += " because \(why(reason))" }
        if let since = vote["since"]?.moment {
            text += ", since \(LocalTimeFormatter.text(since, withDate: true, withMilliseconds: false))"
        }
        if let reason = vote["reason"], let words = ReasonFormatter.text(reason, cause: vote["cause"]) {
            text += "; \(words)"
        }
        return text + "."
    }

    private static func why(_ reason: String) -> String {
        switch reason {
        case "no_owner": "no live node watches it from there"
        case "not_confirmed": "its node has not probed it in time"
        case "suspended": "it is paused or in a maintenance"
        case "cannot_judge": "the location cannot judge it"
        case "isolated": "the location alone reports many targets down"
        default: TerminalText.safe(reason)
        }
    }
}
