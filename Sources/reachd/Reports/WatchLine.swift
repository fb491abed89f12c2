// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Renders an event as one line: time, subject, change, reason.
struct WatchLine {
    let terminal: Terminal
    /// The time, for the form of other times.
    var now: () -> Timestamp = { SystemWallClock().now() }

    /// - Returns: nil for an event that has no line.
    func text(_ type: String, _ data: JSONValue) -> String? {
        guard let text = brief(type, data) else { return nil }
        let time = data["at"]?.moment.map { LocalTimeFormatter.text($0, withDate: true) } ?? "-"
        return "\(terminal.paint(time, .faint))  \(text)"
    }

    /// The same without the time; nil for an event that has no line.
    func brief(_ type: String, _ data: JSONValue) -> String? {
        guard let words = words(type, data) else { return nil }
        let subject: String
        switch type {
        case "target": subject = data["target", "id"]?.words ?? "?"
        case "config", "activity": subject = "reachd"
        case "node", "location": subject = data[type]?.words ?? "?"
        default: subject = data["target"]?.words ?? "network"
        }
        return "\(terminal.paint(subject, .bold))  \(words)"
    }

    /// `14:27:40  eth0 went down: 200 targets unreachable`, wrapped at words; the date is shown when it is not today's.
    func lines(at moment: Timestamp?, _ words: String) -> [String] {
        let time = moment.map { LocalTimeFormatter.recent($0, now()) } ?? "-"
        return TerminalText.hanging(terminal.paint(time, .faint) + "  ", words, to: terminal.width)
    }

    /// A change of state, with how long the state before it lasted.
    func state(_ data: JSONValue, after duration: Int64?) -> String {
        let lasted = duration.map { " after \(DurationFormatter.elapsed(milliseconds: $0))" } ?? ""
        return arrow(data["from"]?.words, data["to"]?.words) + lasted + reason(data)
    }

    private func words(_ type: String, _ data: JSONValue) -> String? {
        switch type {
        case "state":
            return arrow(data["from"]?.words, data["to"]?.words) + reason(data)
        case "vote":
            return "\(data["location"]?.words ?? "?"): " + arrow(data["from"]?.words, data["to"]?.words) + reason(data)
        case "node":
            let old = data["from"]?.words
            let change = old == nil ? data["to"]?.words ?? "?" : arrow(old, data["to"]?.words)
            return "node in \(data["location"]?.words ?? "?"): \(change)"
        case "location":
            guard data["isolated"]?.boolean == true else { return "not isolated any more" }
            let (alone, shared) = (data["down_alone"]?.integer ?? 0, data["shared"]?.integer ?? 0)
            return "isolated: it alone reports \(alone) of \(shared) targets down"
        case "reachability":
            let word = data["target"]?.words == nil ? PathFormatter.word : PathFormatter.targetWord
            return arrow(data["previous", "status"]?.words.map(word), data["status"]?.words.map(word))
                + PathFormatter.suffix(data) + trigger(data)
        case "path":
            let changed = data["changed"]?.elements?.prefix(16).compactMap(\.words).joined(separator: ", ") ?? ""
            return "path \(changed)\(PathFormatter.suffix(data))\(trigger(data))"
        case "target":
            let state = data["target", "state"]?.words.map { " (\(terminal.paint($0, StateColor.of($0))))" }
            return "\(data["action"]?.words ?? "changed")\(state ?? "")"
        case "certificate":
            let changed = data["changed"]?.elements?.prefix(16).compactMap(\.words).joined(separator: ", ") ?? ""
            let end = data["new", "not_after"]?.words ?? data["not_after"]?.words
            return "presents another certificate: \(changed)" + (end.map { "; valid until \($0)" } ?? "")
        case "route_change":
            let hop = data["first_hop"]?.integer ?? 0
            func routers(_ name: String) -> String {
                let hops = data[name]?.elements ?? []
                guard hops.indices.contains(hop - 1) else { return "?" }
                return hops[hop - 1].elements?.prefix(8).compactMap(\.words).joined(separator: ", ") ?? "?"
            }
            return
                "takes another route from hop \(hop): \(routers("old")) \(terminal.isUnicode ? "→" : "->") \(routers("new"))"
        case "config": return configuration(data)
        case "incident":
            let action = data["action"]?.words.map { $0 == "updated" ? "" : "\($0): " } ?? ""
            return "incident \(action)\(data["incident", "title"]?.words ?? "?")"
        case "result":
            let outcome = data["result", "outcome"]?.words ?? "unknown"
            let color: TerminalColor = outcome == "success" ? .green : outcome == "degraded" ? .yellow : .red
            let time = data["result", "duration_seconds"]?.number.map { " in \(DurationFormatter.latency($0))" } ?? ""
            let detail = data["result", "reason", "detail"]?.words.map { ": \($0)" } ?? ""
            return terminal.paint(outcome, color) + time + detail
        case "activity": return "\(data["count"]?.integer ?? 0) probes in flight, \(data["state"]?.words ?? "")"
        default: return nil
        }
    }

    private func arrow(_ old: String?, _ new: String?) -> String {
        func paint(_ name: String) -> String {
            terminal.paint(name, StateColor.of(name))
        }
        let sign = terminal.isUnicode ? "→" : "->"
        return "\(old.map(paint) ?? "?") \(sign) \(new.map(paint) ?? "?")"
    }

    /// A state's name in its colour.
    func paint(_ state: String) -> String { terminal.paint(state, StateColor.of(state)) }

    private func reason(_ data: JSONValue) -> String {
        guard let reason = data["reason"] else { return "" }
        return ReasonFormatter.text(reason, cause: data["cause"]).map { "  \($0)" } ?? ""
    }

    private func trigger(_ data: JSONValue) -> String {
        guard let kind = data["trigger", "kind"]?.words else { return "" }
        return "  (\(kind)\(data["trigger", "interface"]?.words.map { " \($0)" } ?? ""))"
    }

    private func configuration(_ data: JSONValue) -> String {
        let action = data["action"]?.text
        if action == "rejected" {
            let fault = data["faults"]?.elements?.first?.words ?? ""
            let count = data["fault_count"]?.integer ?? 0
            return "configuration rejected, \(count) \(count == 1 ? "error" : "errors"): \(fault)"
        }
        let counts = ["added", "updated", "removed"].map { "\(data["targets", $0]?.integer ?? 0) \($0)" }
        let settings = data["settings"]?.elements?.prefix(32).compactMap(\.words) ?? []
        let version = data["version"]?.integer.map { "version \($0) of " } ?? ""
        let subject =
            action == "applied" ? "\(version)\(data["source"]?.words ?? "?") applied" : "configuration reloaded"
        return "\(subject): targets " + counts.joined(separator: ", ")
            + (settings.isEmpty ? "" : "; settings \(settings.joined(separator: ", "))")
    }
}

/// A reason with its cause, for people.
enum ReasonFormatter {
    /// `Connection refused (cause: target)`; the code where the service gives no words.
    static func text(_ reason: JSONValue, cause: JSONValue?) -> String? {
        guard let text = reason["detail"]?.words ?? reason["code"]?.words else { return nil }
        let cause = cause?.words.map { " (cause: \(self.cause($0)))" } ?? ""
        return (text.hasSuffix(".") ? String(text.dropLast()) : text) + cause
    }

    private static func cause(_ code: String) -> String {
        switch code {
        case "local_network": "local network"
        case "path": "a router on the path"
        case "dns": "DNS"
        case "self": "reachd"
        default: code
        }
    }
}
