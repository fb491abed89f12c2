// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Draws `reachd top`: a pure function of what is known, what is to be seen, and the size.
struct TopScreen {
    /// Incidents that have a row at most.
    private static let incidents = 5

    let terminal: Terminal
    let width: Int
    let height: Int

    /// How many targets fit.
    func page(_ model: TopModel) -> Int { max(height - rowsAbove(model) - 1, 0) }

    /// - Parameters:
    ///   - now: the time.
    ///   - isInteractive: whether there are keys to show.
    func draw(_ model: TopModel, _ view: TopView, now: Timestamp, isInteractive: Bool = true) -> TerminalScreen {
        var screen = TerminalScreen(width: width, height: height)
        let incidents = model.rankedIncidents
        screen.add(headline(model, incidents.first(where: \.value.isShared)?.value, now))
        screen.add(counts(model))
        for row in incidentRows(model, incidents, now) { screen.add(row) }
        let targets = view.targets(model)
        let columns = Columns(targets, width: width)
        screen.add(columns.heading(on: terminal, width: width))
        // The last row has the keys, or how many are left out.
        let page = page(model) + (!isInteractive && targets.count == page(model) + 1 ? 1 : 0)
        let first = max(0, min(view.offset, targets.count - max(page, 1)))
        let shown = targets.dropFirst(first).prefix(page)
        for target in shown { screen.add(columns.row(target, now: now, on: terminal, width: width)) }
        guard isInteractive else {
            let rest = targets.count - first - shown.count
            if rest > 0 {
                var row = row()
                row.add("and \(rest) more: reachd targets --sort state", .faint)
                screen.add(row)
            }
            return screen
        }
        screen.fill(leaving: 1)
        screen.add(footer(view, first: first, shown: shown.count, of: targets.count))
        return screen
    }

    private func row() -> TerminalRow { TerminalRow(width: width, on: terminal) }

    private func rowsAbove(_ model: TopModel) -> Int { 3 + incidentCount(model) }

    private func incidentCount(_ model: TopModel) -> Int {
        let limit = min(Self.incidents, max(height / 4, 1))
        return min(model.shownIncidents.count, limit)
    }

    /// - Parameter fault: the nearest one before the targets; nil without one.
    private func headline(_ model: TopModel, _ fault: TopModel.Incident?, _ now: Timestamp) -> TerminalRow {
        var row = row()
        if let lost = model.lost {
            let time = LocalTimeFormatter.recent(lost.since, now)
            row.add("Lost since \(time): \(lost.reason); reconnecting", .yellow)
        } else if model.isOnline, let fault {
            row.add(fault.title, .magenta)
        } else {
            row.add(
                model.network.prefix(1).uppercased() + model.network.dropFirst(),
                model.isOnline ? .green : .magenta
            )
        }
        row.end(with: LocalTimeFormatter.text(now, withDate: false, withMilliseconds: false), .faint)
        return row
    }

    private func counts(_ model: TopModel) -> TerminalRow {
        var row = row()
        var counts: [String: Int] = [:]
        for target in model.targets.values { counts[target.state, default: 0] += 1 }
        row.add("\(model.targets.count) \(model.targets.count == 1 ? "target" : "targets")", .bold)
        for (number, entry) in counts.sorted(by: {
            (StateOrder.rank($0.key), $0.key) < (StateOrder.rank($1.key), $1.key)
        })
        .enumerated() {
            row.add(number == 0 ? ": " : ", ")
            // What a lost service said is not known to be true any more.
            row.add("\(entry.value) \(entry.key)", model.lost == nil ? StateColor.of(entry.key) : .faint)
        }
        row.end(with: TerminalText.safe(model.place), .faint)
        return row
    }

    private func incidentRows(
        _ model: TopModel,
        _ all: [(key: String, value: TopModel.Incident)],
        _ now: Timestamp
    ) -> [TerminalRow] {
        let covered = IncidentOrder.covered(model.incidents.values.map(\.marks.coveredBy))
        let count = incidentCount(model)
        return all.prefix(count).enumerated().map { number, entry in
            var row = row()
            if number == count - 1, all.count > count {
                row.add("and \(all.count - count + 1) more incidents: reachd incidents", .faint)
                return row
            }
            let incident = entry.value
            row.add(terminal.isUnicode ? "● " : "* ", StateColor.of(incident.severity))
            row.add(incident.title, StateColor.of(incident.severity))
            if let opened = incident.opened {
                let length = DurationFormatter.long(
                    milliseconds: now.milliseconds.subtractingReportingOverflow(opened).partialValue
                )
                row.add(", \(length)", .faint)
            }
            row.add(incident.marks.text(now, covers: covered[entry.key] ?? 0), .faint)
            return row
        }
    }

    private func footer(_ view: TopView, first: Int, shown: Int, of count: Int) -> TerminalRow {
        var row = row()
        if view.isWriting {
            row.add("/\(TerminalText.safe(view.filter))_", .bold)
        } else {
            row.add("q quit  / filter  s sort: \(view.order.rawValue)  f \(view.failingOnly ? "all" : "failing only")")
            if !view.filter.isEmpty { row.add("  filter: \(TerminalText.safe(view.filter))", .bold) }
        }
        row.end(with: count == 0 ? "no targets" : "\(first + 1)-\(first + shown) of \(count)", .faint)
        return row
    }

    /// How wide the columns of targets are.
    private struct Columns {
        private let state = 11
        private let name: Int
        private let group: Int
        private let latency = 8
        private let recent: Int
        private let since = 7

        init(_ targets: [TopModel.Target], width: Int) {
            let widest = targets.prefix(1_000).map { TerminalText.width($0.name) }.max() ?? 0
            name = min(max(widest, 6), max(width / 3, 8))
            let groups = targets.prefix(1_000).map { TerminalText.width($0.group) }.max() ?? 0
            group = groups == 0 || width < 60 ? 0 : min(max(groups, 5), 16)
            recent = width < 70 ? 0 : width < 120 ? 12 : 24
        }

        func heading(on terminal: Terminal, width: Int) -> TerminalRow {
            var row = TerminalRow(width: width, on: terminal)
            row.add("STATE", .reverse, columns: nil)
            row.add("", columns: state + 2 - 5)
            row.add("TARGET", .reverse)
            row.add("", columns: name + 2 - 6)
            if group > 0 {
                row.add("GROUP", .reverse)
                row.add("", columns: group + 2 - 5)
            }
            row.add("LATENCY", .reverse, columns: latency, isRight: true)
            row.add("  ")
            if recent > 0 {
                row.add("RECENT", .reverse)
                row.add("", columns: recent + 2 - 6)
            }
            row.add("SINCE", .reverse, columns: since, isRight: true)
            row.add("  ")
            if row.room >= 4 { row.add("WHY", .reverse) }
            return row
        }

        func row(_ target: TopModel.Target, now: Timestamp, on terminal: Terminal, width: Int) -> TerminalRow {
            var row = TerminalRow(width: width, on: terminal)
            row.add(target.state, StateColor.of(target.state), columns: state)
            row.add("  ")
            row.add(target.name, columns: name)
            row.add("  ")
            if group > 0 {
                row.add(target.group, .faint, columns: group)
                row.add("  ")
            }
            row.add(target.latency.map(DurationFormatter.latency) ?? "", columns: latency, isRight: true)
            row.add("  ")
            if recent > 0 {
                let bars = Sparkline.text(target.recent, columns: recent, isUnicode: terminal.isUnicode)
                row.add(bars, columns: recent, isRight: true)
                row.add("  ")
            }
            let age = target.since.map {
                DurationFormatter.short(milliseconds: now.milliseconds.subtractingReportingOverflow($0).partialValue)
            }
            row.add(age ?? "", columns: since, isRight: true)
            row.add("  ")
            row.add(target.why, .faint)
            return row
        }
    }
}
