// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Targets in a table: name, id, state, its duration, latency and the reason.
struct TargetRows {
    /// The order of rows.
    enum Order: String, CaseIterable {
        /// What fails first, the worst before others, the newest change before older ones.
        case state
        case name
        case group
        /// The slowest first.
        case latency
        /// The newest change first.
        case since
    }

    /// The fields to request from the service.
    static let fields = "id,name,group,state,since,reason,cause,pending,is_flapping,last_result"
    /// Those of a wide table.
    static let wideFields = fields + ",host,address,origin,probe"

    private var targets: [(target: JSONValue, now: Timestamp?)] = []
    private let isWide: Bool
    private let order: Order?

    /// - Parameters:
    ///   - isWide: whether address, probe, the last probe's time and origin have columns.
    ///   - order: how rows are sorted; nil for the service's order.
    init(isWide: Bool = false, order: Order? = nil) {
        self.isWide = isWide
        self.order = order
    }

    var count: Int { targets.count }
    var isEmpty: Bool { targets.isEmpty }

    /// Adds a page of `/targets`.
    ///
    /// - Parameter isShown: whether a target gets a line.
    mutating func add(_ list: JSONValue, where isShown: (JSONValue) -> Bool = { _ in true }) {
        let now = list["generated_at"]?.moment
        targets += (list["targets"]?.elements ?? []).filter(isShown).map { ($0, now) }
    }

    /// - Parameter limit: how many rows at most.
    func lines(on terminal: Terminal, limit: Int = .max) -> [String] {
        var headings = ["TARGET", "ID", "GROUP", "STATE", "FOR", "LATENCY"]
        if isWide { headings += ["ADDRESS", "PROBE", "LAST", "ORIGIN"] }
        var table = TextTable(headings + ["WHY"], dispensable: ["ID", "GROUP"])
        for (target, now) in sorted.prefix(limit) { table.add(row(target, now)) }
        return table.lines(on: terminal)
    }

    /// The ids in their order, those that are valid.
    var ids: [String] { sorted.compactMap { $0.target["id"]?.text } }

    private var sorted: [(target: JSONValue, now: Timestamp?)] {
        guard let order else { return targets }
        // Keys once for each row, and the service's order among equal ones.
        let keyed = targets.enumerated().map { (Self.key($1.target, order), $0, $1) }
        return keyed.sorted { ($0.0.number, $0.0.text, $0.1) < ($1.0.number, $1.0.text, $1.1) }.map(\.2)
    }

    private static func key(_ target: JSONValue, _ order: Order) -> (number: Double, text: String) {
        let since = -Double(target["since"]?.moment?.milliseconds ?? 0)
        switch order {
        case .state: return (Double(StateOrder.rank(target["state"]?.text)) * 1e15 + since + 1e14, "")
        case .name: return (0, (target["name"]?.text ?? target["id"]?.text ?? "").lowercased())
        case .group: return (0, (target["group"]?.text ?? "\u{10FFFF}").lowercased())
        case .latency: return (-(latency(target) ?? -1), "")
        case .since: return (since, "")
        }
    }

    /// The duration of the last successful probe in seconds. The pauses between echo requests are not part of it.
    static func latency(_ target: JSONValue) -> Double? {
        guard target["last_result", "success"]?.boolean == true else { return nil }
        return (target["last_result", "icmp", "avg_seconds"] ?? target["last_result", "duration_seconds"])?.number
    }

    private func row(_ target: JSONValue, _ now: Timestamp?) -> [TextTable.Cell] {
        let state = target["state"]?.words ?? "unknown"
        let id = target["id"]?.words ?? "?"
        let name = target["name"]?.words.flatMap { $0 == id ? nil : $0 }
        func age(_ moment: Timestamp?) -> String {
            guard let now, let moment else { return "" }
            return DurationFormatter.short(
                milliseconds: now.milliseconds.subtractingReportingOverflow(moment.milliseconds).0
            )
        }
        var cells: [TextTable.Cell] = [
            .init(name ?? id),
            .init(name == nil ? "" : id),
            .init(target["group"]?.words ?? ""),
            .init(state, StateColor.of(state)),
            .init(age(target["since"]?.moment), isRight: true),
            .init(Self.latency(target).map(DurationFormatter.latency) ?? "", isRight: true),
        ]
        if isWide {
            let probe = target["probe", "type"]?.words ?? ""
            let every = target["probe", "interval_seconds"]?.number.map { " every \(DurationFormatter.setting($0))" }
            cells += [
                .init(target["host"]?.words ?? target["address"]?.words ?? ""),
                .init(probe + (every ?? "")),
                .init(age(target["last_result", "at"]?.moment), isRight: true),
                .init(target["origin"]?.words ?? ""),
            ]
        }
        return cells + [.init(Self.why(target))]
    }

    /// Why a target is in its state, in one line.
    static func why(_ target: JSONValue) -> String {
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
