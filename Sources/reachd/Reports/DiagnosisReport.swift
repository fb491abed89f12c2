// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Why the fault of an incident is where it is: the elements of the way that were considered.
struct DiagnosisReport {
    private let incident: JSONValue
    private let now: Timestamp

    /// - Parameters:
    ///   - incident: the answer to `GET /incidents/ID`.
    ///   - now: the time, for ages.
    init(_ incident: JSONValue, now: Timestamp) {
        self.incident = incident
        self.now = now
    }

    func lines(on terminal: Terminal) -> [String] {
        guard let diagnosis = incident["diagnosis"] else {
            return TerminalText.hanging("  ", reasonForNone, to: terminal.width)
        }
        var lines = TerminalText.hanging("  ", diagnosis["text"]?.words ?? "?", to: terminal.width)
        for element in (diagnosis["elements"]?.elements ?? []).prefix(128) {
            lines += self.lines(element, terminal)
        }
        if diagnosis["partial_count"]?.boolean == true {
            lines += TerminalText.hanging("  ", "More targets are behind them than were counted.", to: terminal.width)
        }
        if let omitted = diagnosis["omitted_targets"]?.integer {
            let words = omitted == 1 ? "1 more target fails and was" : "\(omitted) more targets fail and were"
            lines += TerminalText.hanging("  ", "\(words) not considered.", to: terminal.width)
        }
        return lines
    }

    private var reasonForNone: String {
        if incident["state"]?.text != "open" {
            return "The incident is closed: what was observed of it is the evidence."
        }
        return "The evidence shows the cause: no targets had to be compared."
    }

    private func lines(_ element: JSONValue, _ terminal: Terminal) -> [String] {
        let isAtFault = element["at_fault"]?.boolean == true
        let mark = isAtFault ? terminal.isUnicode ? "✗" : "x" : " "
        let kind = element["kind"]?.words ?? "?"
        let head =
            "\(mark) " + TerminalText.padded(kind == "router" ? "hop \(element["hop"]?.integer ?? 0)" : kind, to: 9)
        let addresses = (element["addresses"]?.elements ?? []).compactMap(\.words)
        let name = element["prefix"]?.words ?? addresses.joined(separator: ", ")
        let (silent, targets) = (element["silent"]?.integer ?? 0, element["targets"]?.integer ?? 0)
        let isPassedLast = kind != "network" && element["reached_at"]?.text == element["passed_at"]?.text
        let facts = [
            "\(silent) of \(targets) \(targets == 1 ? "target" : "targets") silent",
            isPassedLast ? nil : age(element["reached_at"], "packet came"),
            kind == "network" ? nil : age(element["passed_at"], "packet passed"),
            age(element["traced_at"], "answered a trace"),
        ]
        let text = "\(name): \(facts.compactMap { $0 }.joined(separator: ", ")). \(element["text"]?.words ?? "")"
        return TerminalText.hanging(head, text, to: terminal.width).enumerated().map { number, line in
            number == 0 && isAtFault ? terminal.paint(line, .red) : line
        }
    }

    /// `passed 3 s ago`.
    private func age(_ value: JSONValue?, _ verb: String) -> String? {
        value?.moment.map {
            "\(verb) \(DurationFormatter.elapsed(milliseconds: now.milliseconds.subtractingReportingOverflow($0.milliseconds).0)) ago"
        }
    }
}
