// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// The list of `reachd incidents`.
struct IncidentRows {
    private var table = TextTable(["STATE", "OPENED", "LASTED", "TARGETS", "ID", "TITLE"])
    /// For terminals that are too narrow for it: titles in several lines, each followed by its id.
    private var narrow = TextTable(["STATE", "OPENED", "LASTED", "TITLE"], wrapsLast: true)

    /// - Parameters:
    ///   - list: the answer to `GET /incidents`.
    ///   - now: the time, for open incidents.
    init(_ list: JSONValue, now: Timestamp) {
        let incidents = list["incidents"]?.elements ?? []
        let covered = IncidentOrder.covered(incidents.map { $0["covered_by"]?.text })
        for incident in IncidentOrder.sorted(incidents) {
            let isOpen = incident["state"]?.text == "open"
            let state = isOpen ? incident["severity"]?.words ?? "open" : "closed"
            let (failing, total) = (
                incident["targets", "failing"]?.integer ?? 0, incident["targets", "total"]?.integer ?? 0
            )
            let id = incident["id"]?.words ?? "?"
            let marks = IncidentText.Marks(incident).text(now, covers: covered[id] ?? 0)
            let title = (incident["title"]?.words ?? "?") + marks
            let start = [
                TextTable.Cell(state, isOpen ? StateColor.of(state) : .faint),
                TextTable.Cell(IncidentText.opened(incident, now)),
                TextTable.Cell(IncidentText.lasted(incident, now) ?? "", isRight: true),
            ]
            table.add(
                start + [
                    TextTable.Cell(isOpen ? "\(failing)/\(total)" : "\(total)", isRight: true),
                    TextTable.Cell(id, .faint), TextTable.Cell(title),
                ]
            )
            narrow.add(start + [TextTable.Cell(title)])
            narrow.add([TextTable.Cell(""), TextTable.Cell(""), TextTable.Cell(""), TextTable.Cell(id, .faint)])
        }
    }

    var isEmpty: Bool { table.isEmpty }

    func lines(on terminal: Terminal) -> [String] { (table.fits(terminal) ? table : narrow).lines(on: terminal) }
}

/// What `reachd incidents ID` prints.
struct IncidentReport {
    private let incident: JSONValue
    private let now: Timestamp
    private let listed: Int
    private let isExplained: Bool

    /// - Parameters:
    ///   - incident: the answer to `GET /incidents/ID`.
    ///   - now: the time, for an open incident.
    ///   - listed: how many members are listed.
    ///   - explained: whether with the elements of the way that were considered.
    init(_ incident: JSONValue, now: Timestamp, listed: Int, explained: Bool = false) {
        isExplained = explained
        self.incident = incident
        self.now = now
        self.listed = listed
    }

    func lines(on terminal: Terminal) -> [String] {
        let isOpen = incident["state"]?.text == "open"
        let color = isOpen ? StateColor.of(incident["severity"]?.text ?? "") : nil
        var lines = TerminalText.wrapped(incident["title"]?.words ?? "?", to: terminal.width).map {
            terminal.paint($0, color ?? .bold)
        }
        for (name, value) in facts(isOpen) {
            let head = TerminalText.padded("  \(name)", to: 16)
            let texts = TerminalText.wrapped(value, to: terminal.width.map { max($0 - 16, 20) })
            lines += texts.enumerated().map { ($0 == 0 ? head : String(repeating: " ", count: 16)) + $1 }
        }
        if isExplained {
            lines += ["", terminal.paint("WHY", .bold)] + DiagnosisReport(incident, now: now).lines(on: terminal)
        }
        lines += ["", terminal.paint("TIMELINE", .bold)] + timeline()
        let notes = notes(terminal)
        if !notes.isEmpty { lines += ["", terminal.paint("NOTES", .bold)] + notes }
        return lines + [""] + members(terminal)
    }

    private func facts(_ isOpen: Bool) -> [(String, String)] {
        var facts: [(String, String?)] = [("id", incident["id"]?.words)]
        let length = IncidentText.lasted(incident, now).map { " (\($0))" } ?? ""
        let opened = IncidentText.opened(incident, now)
        if isOpen {
            facts.append(("open since", opened + length))
        } else {
            let closed = incident["closed_at"]?.moment.map { LocalTimeFormatter.recent($0, now) } ?? "?"
            facts.append(("from, to", "\(opened), \(closed)\(length)"))
        }
        let subject = incident["subject"]?.words.map { " (\($0))" } ?? ""
        facts.append(("cause", "\(incident["cause"]?.words ?? "?"), \(incident["kind"]?.words ?? "?")\(subject)"))
        facts.append(("evidence", incident["evidence", "detail"]?.words))
        if let offender = incident["evidence", "offender", "address"]?.words {
            facts.append(("reported by", "\(offender): \(incident["evidence", "offender", "message"]?.words ?? "?")"))
        }
        if let hop = incident["evidence", "trace", "last_hop", "address"]?.words { facts.append(("last hop", hop)) }
        facts.append(("what to do", incident["advice"]?.words))
        facts.append(("covered by", incident["covered_by"]?.words))
        if let name = incident["acknowledged", "by"]?.words {
            let at = incident["acknowledged", "at"]?.moment.map { ", \(LocalTimeFormatter.recent($0, now))" } ?? ""
            facts.append(("acknowledged", "by \(name)\(at)"))
        }
        let mutedUntil = incident["muted_until"]?.moment.flatMap { $0 > now ? $0 : nil }
        facts.append(("muted until", mutedUntil.map { LocalTimeFormatter.recent($0, now) }))
        return facts.compactMap { name, value in value.map { (name, $0) } }
    }

    private func timeline() -> [String] {
        (incident["timeline"]?.elements ?? []).prefix(128).map { moment in
            let time = moment["at"]?.moment.map { LocalTimeFormatter.recent($0, now) } ?? "?"
            let count = moment["targets"]?.integer.map { "\($0) \($0 == 1 ? "target" : "targets")" }
            let until = moment["until"]?.moment.map { " (until \(LocalTimeFormatter.recent($0, now)))" } ?? ""
            let words = [count, moment["text"]?.words].compactMap { $0 }.joined(separator: ": ") + until
            return "  \(time)  \(TerminalText.padded(moment["event"]?.words ?? "?", to: 14)) \(words)"
        }
    }

    private func notes(_ terminal: Terminal) -> [String] {
        (incident["notes"]?.elements ?? []).prefix(128).flatMap { note in
            let time = note["at"]?.moment.map { LocalTimeFormatter.recent($0, now) } ?? "?"
            let lines = (note["text"]?.text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
            return ["  \(time)  \(note["author"]?.words ?? "?")\(note["public"]?.boolean == true ? ", public" : ""):"]
                + lines.flatMap {
                    TerminalText.wrapped(TerminalText.safe(String($0)), to: terminal.width.map { max($0 - 4, 20) })
                }
                .map { "    \($0)" }
        }
    }

    private func members(_ terminal: Terminal) -> [String] {
        var table = TextTable(["TARGET", "STATE", "FROM", "UNTIL", "END", "GROUP"])
        let members = (incident["members"]?.elements ?? []).prefix(listed)
        for member in members {
            let state = member["until"] == nil ? member["state"]?.words ?? "?" : "ended"
            table.add([
                TextTable.Cell(member["name"]?.words ?? member["target"]?.words ?? "?"),
                TextTable.Cell(state, StateColor.of(state)),
                TextTable.Cell(member["from"]?.moment.map { LocalTimeFormatter.recent($0, now) } ?? ""),
                TextTable.Cell(member["until"]?.moment.map { LocalTimeFormatter.recent($0, now) } ?? ""),
                TextTable.Cell(member["end"]?.words ?? ""),
                TextTable.Cell(member["group"]?.words ?? ""),
            ])
        }
        let rest = (incident["targets", "total"]?.integer ?? 0) - members.count
        return table.lines(on: terminal) + (rest > 0 ? ["and \(rest) more: --json"] : [])
    }
}
