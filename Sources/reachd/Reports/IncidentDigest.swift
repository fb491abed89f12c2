// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// One line for this machine's network, and one for each incident: when it is opened, when it has grown, when it ends. Changes of
/// single targets have none: those that fail are in an incident.
struct IncidentDigest: EventDigest {
    /// A line that may still change: the events of one step of the network arrive one after the other.
    private struct Pending {
        enum Kind { case network, opened, grown, closed }
        let kind: Kind
        /// The incident's id; "" for the network.
        let id: String
        var body: JSONValue
        /// The members that left with its end.
        var left: [JSONValue] = []
        let at: Timestamp?
        let began: UInt64
        var lastNews: UInt64
    }

    /// What was printed of an open incident.
    private struct Known {
        var total: Int
        var kind: String?
        var acknowledgedBy: String?
        var mutedUntil: String?
    }

    /// How long nothing more may come before a line is printed, and how long it is gathered at most, in nanoseconds.
    private static let quiet: UInt64 = 500_000_000
    private static let longest: UInt64 = 3_000_000_000
    /// Events that lie further apart are not of one step, in milliseconds.
    private static let spread: Int64 = 3_000
    /// Open incidents that are remembered at most.
    private static let limit = 10_000
    /// Targets that a line names at most.
    private static let named = 3

    private let line: WatchLine
    private var pending: [Pending] = []
    private var known: [String: Known] = [:]
    private var isOnline: Bool?

    /// - Parameter isOnline: Whether the network is usable at the start; nil if that is unknown.
    init(line: WatchLine, isOnline: Bool? = nil) {
        self.line = line
        self.isOnline = isOnline
    }

    /// Takes an incident that was open before.
    mutating func learn(_ incident: JSONValue) {
        guard let id = incident["id"]?.text, incident["state"]?.text == "open" else { return }
        remember(id, incident)
    }

    mutating func take(_ type: String, _ data: JSONValue, now: UInt64) -> [String] {
        let lines = flush { Self.isApart($0, data["at"]?.moment) }
        switch type {
        case "state", "path", "snapshot": return lines
        case "reachability": return lines + network(data, now)
        case "incident": return lines + incident(data, now)
        default:
            guard let words = line.brief(type, data) else { return lines }
            return lines + flush { _ in true } + line.lines(at: data["at"]?.moment, words)
        }
    }

    mutating func settle(now: UInt64) -> [String] {
        flush { now >= $0.lastNews.addingReportingOverflow(Self.quiet).partialValue || now >= $0.began + Self.longest }
    }

    private static func isApart(_ pending: Pending, _ moment: Timestamp?) -> Bool {
        guard let moment, let begin = pending.at else { return false }
        return moment.milliseconds.subtractingReportingOverflow(begin.milliseconds).0.magnitude > spread
    }

    // MARK: The network

    private mutating func network(_ data: JSONValue, _ now: UInt64) -> [String] {
        // A target's own reachability explains its state.
        guard data["target"]?.text == nil else { return [] }
        let reachable = data["reachable"]?.boolean
        defer { isOnline = reachable }
        guard reachable != isOnline || reachable == nil else { return [] }
        let lines = flush { $0.kind == .network }
        // An incident of the same step says more.
        guard !pending.contains(where: { Self.replaces($0, isOnline: reachable == true) }) else { return lines }
        pending.append(
            Pending(kind: .network, id: "", body: data, at: data["at"]?.moment, began: now, lastNews: now)
        )
        return lines
    }

    /// Whether an incident's line says what one of the network would.
    private static func replaces(_ pending: Pending, isOnline: Bool) -> Bool {
        guard pending.body["cause"]?.text == "local_network" else { return false }
        return isOnline ? pending.kind == .closed : pending.kind == .opened || pending.kind == .grown
    }

    // MARK: Incidents

    private mutating func incident(_ data: JSONValue, _ now: UInt64) -> [String] {
        guard let body = data["incident"], let id = body["id"]?.text else { return [] }
        let (action, moment) = (data["action"]?.text, data["at"]?.moment)
        let place = pending.firstIndex { $0.id == id }
        switch action {
        case "opened", "reopened":
            let lines = flush(through: place)
            return lines + add(Pending(kind: .opened, id: id, body: body, at: moment, began: now, lastNews: now))
        case "closed":
            let lines = flush(through: place)
            let left = data["left"]?.elements ?? []
            return lines
                + add(Pending(kind: .closed, id: id, body: body, left: left, at: moment, began: now, lastNews: now))
        case "updated":
            if let place {
                pending[place].body = body
                pending[place].lastNews = now
                return []
            }
            // An incident that grows for long gets a line each time that it has doubled, one that is corrected another.
            guard Self.total(body) >= 2 * (known[id]?.total ?? 0) || body["kind"]?.text != known[id]?.kind else {
                return []
            }
            return add(Pending(kind: .grown, id: id, body: body, at: moment, began: now, lastNews: now))
        case "edited":
            let lines = flush(through: place)
            return lines + edited(id, body, moment)
        default: return []
        }
    }

    private mutating func add(_ new: Pending) -> [String] {
        pending.removeAll { $0.kind == .network && Self.replaces(new, isOnline: $0.body["reachable"]?.boolean == true) }
        pending.append(new)
        return []
    }

    /// What a person did with it.
    private mutating func edited(_ id: String, _ body: JSONValue, _ moment: Timestamp?) -> [String] {
        let old = known[id]
        remember(id, body)
        var parts: [String] = []
        let (name, until) = (body["acknowledged", "by"]?.words, body["muted_until"]?.text)
        if name != old?.acknowledgedBy {
            parts.append(name.map { "acknowledged by \($0)" } ?? "no longer acknowledged")
        }
        if until != old?.mutedUntil {
            let end = body["muted_until"]?.moment.map { LocalTimeFormatter.recent($0, line.now()) }
            parts.append(end.map { "muted until \($0)" } ?? "no longer muted")
        }
        guard !parts.isEmpty else { return [] }
        return line.lines(at: moment, "\(body["title"]?.words ?? "?"): \(parts.joined(separator: ", "))")
    }

    private mutating func remember(_ id: String, _ body: JSONValue) {
        guard known.count < Self.limit || known[id] != nil else { return }
        known[id] = Known(
            total: Self.total(body),
            kind: body["kind"]?.text,
            acknowledgedBy: body["acknowledged", "by"]?.words,
            mutedUntil: body["muted_until"]?.text
        )
    }

    private static func total(_ incident: JSONValue) -> Int { max(incident["targets", "total"]?.integer ?? 1, 1) }

    // MARK: Lines

    private mutating func flush(_ isDue: (Pending) -> Bool) -> [String] {
        let due = pending.filter(isDue)
        guard !due.isEmpty else { return [] }
        pending.removeAll(where: isDue)
        return due.flatMap { print($0) }
    }

    /// Prints the lines up to one, so that they are in the order of time.
    private mutating func flush(through place: Int?) -> [String] {
        guard let place else { return [] }
        let due = pending[...place]
        pending.removeFirst(place + 1)
        return due.flatMap { print($0) }
    }

    private mutating func print(_ item: Pending) -> [String] {
        switch item.kind {
        case .network:
            let isUsable = item.body["reachable"]?.boolean == true
            let status = item.body["status"]?.words ?? "unknown"
            let word = line.terminal.paint(PathFormatter.word(status), isUsable ? .green : .magenta)
            return line.lines(at: item.at, "Network \(word)" + PathFormatter.suffix(item.body))
        case .opened, .grown:
            remember(item.id, item.body)
            let color = StateColor.of(item.body["severity"]?.text ?? "")
            return line.lines(at: item.at, line.terminal.paint(item.body["title"]?.words ?? "?", color))
        case .closed:
            known[item.id] = nil
            return line.lines(at: item.at, end(item))
        }
    }

    private func end(_ item: Pending) -> String {
        let ends = item.left.compactMap { $0["end"]?.text }
        let lasted = IncidentText.lasted(item.body, line.now(), format: DurationFormatter.elapsed)
        let length = lasted.map { " after \($0)" } ?? ""
        let total = Self.total(item.body)
        let names = item.left.compactMap { $0["name"]?.words ?? $0["target"]?.words }
        let areNamed = total <= Self.named && names.count == total
        let targets = areNamed ? names.joined(separator: ", ") : "\(total) \(total == 1 ? "target" : "targets")"
        // The last ones were paused, removed or are in another incident: they are not back, though others may be.
        if !ends.isEmpty, !ends.contains("recovered") {
            let end = (ends.last ?? "?").split(separator: "_").joined(separator: " ")
            let reason = ends.count == total ? " (\(TerminalText.safe(end)))" : ""
            return "\(targets): incident over\(length)\(reason)"
        }
        let up = line.terminal.paint("up", .green)
        guard let ending = IncidentText.ending(item.body) else {
            return "\(targets) \(total == 1 ? "is" : "are") \(up) again\(length)"
        }
        return "\(ending): \(targets) \(up) again\(length)"
    }
}
