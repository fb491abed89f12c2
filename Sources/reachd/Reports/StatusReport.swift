// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// How `/status` looks on a terminal.
struct StatusReport {
    private let status: JSONValue
    private let place: String

    init(_ status: JSONValue, place: String) {
        self.status = status
        self.place = place
    }

    func lines(on terminal: Terminal) -> [String] {
        var lines: [String] = []
        func add(_ name: String, _ text: String?) {
            guard let text, !text.isEmpty else { return }
            lines.append(terminal.paint(TerminalText.padded(name, to: 9), .bold) + " " + text)
        }
        add("service", service)
        add("network", network(terminal))
        add("targets", summary(terminal))
        add("internet", anchors(terminal))
        add("history", history(terminal))
        for receiver in status["notifications"]?.elements ?? [] { add("notify", self.receiver(receiver, terminal)) }
        return lines
    }

    private var service: String {
        let uptime = status["service", "uptime_seconds"]?.number.map {
            ", up for \(DurationFormatter.long(milliseconds: Int64(max(0, min($0, 1e15)) * 1_000)))"
        }
        let name = status["service", "name"]?.words ?? "reachd"
        return "\(name) \(status["service", "version"]?.words ?? "?") at \(TerminalText.safe(place))\(uptime ?? "")"
    }

    private func network(_ terminal: Terminal) -> String {
        guard let network = status["network"] else { return "" }
        let name = network["status"]?.words ?? "unknown"
        let color = network["reachable"]?.boolean == true ? TerminalColor.green : StateColor.of(name)
        return terminal.paint(name, color) + PathFormatter.suffix(network)
    }

    private func summary(_ terminal: Terminal) -> String {
        let total = status["summary", "total"]?.integer ?? 0
        let states = TargetState.allCases.map(\.rawValue).sorted { Self.rank($0) < Self.rank($1) }
        let parts = states.compactMap { state -> String? in
            guard let count = status["summary", state]?.integer, count > 0 else { return nil }
            return terminal.paint("\(count) \(state)", StateColor.of(state))
        }
        return "\(total)" + (parts.isEmpty ? "" : ": ") + parts.joined(separator: ", ")
    }

    private static func rank(_ state: String) -> Int {
        ["down", "degraded", "unreachable", "unknown", "up", "maintenance", "paused"].firstIndex(of: state) ?? 9
    }

    private func anchors(_ terminal: Terminal) -> String? {
        guard let anchors = status["anchors"], let total = anchors["total"]?.integer, let up = anchors["up"]?.integer
        else {
            return nil
        }
        let isDown = anchors["is_internet_down"]?.boolean == true
        let word = terminal.paint(isDown ? "away" : "there", isDown ? .red : .green)
        return "\(word), \(up) of \(total) anchors up, \(anchors["quorum"]?.integer ?? 1) wanted"
    }

    private func history(_ terminal: Terminal) -> String? {
        guard let state = status["history", "state"]?.words else { return nil }
        let color: TerminalColor? = state == "degraded" ? .yellow : state == "off" ? .faint : nil
        return terminal.paint(state, color)
    }

    private func receiver(_ receiver: JSONValue, _ terminal: Terminal) -> String {
        let state = receiver["state"]?.words ?? "unknown"
        let color: TerminalColor? = state == "failing" ? .red : state == "retrying" ? .yellow : nil
        var text = "\(receiver["name"]?.words ?? "?") \(terminal.paint(state, color))"
        if let waiting = receiver["pending"]?.integer, waiting > 0 { text += ", \(waiting) waiting" }
        if state != "ok", let detail = receiver["last_error", "detail"]?.words { text += ": \(detail)" }
        return text
    }
}

/// The kernel's word on a path, for people.
enum PathFormatter {
    /// ` by eth0 (wired_ethernet), gateway 192.0.2.1`, of a status block; "" without any.
    static func route(_ block: JSONValue) -> String {
        guard let path = block["path"], let name = path["interface", "name"]?.words else { return "" }
        return " by \(name)" + (path["gateway"]?.words.map { " via \($0)" } ?? "")
    }

    /// ` by eth0 (wired_ethernet), gateway 192.0.2.1, source 192.0.2.2, IPv4, DNS`, of a status block; "" without any.
    static func suffix(_ block: JSONValue) -> String {
        guard let path = block["path"] else { return "" }
        var parts: [String] = []
        if let reason = path["unsatisfied_reason"]?.words { parts.append(": \(reason)") }
        if let name = path["interface", "name"]?.words {
            parts.append(" by \(name)" + (path["interface", "type"]?.words.map { " (\($0))" } ?? ""))
        }
        if let gateway = path["gateway"]?.words { parts.append(", gateway \(gateway)") }
        if let source = path["source_address"]?.words { parts.append(", source \(source)") }
        let kinds = [("supports_ipv4", "IPv4"), ("supports_ipv6", "IPv6"), ("supports_dns", "DNS")]
        let isUsable = path["unsatisfied_reason"] == nil
        let supported = kinds.filter { isUsable && path[$0.0]?.boolean == true }.map(\.1)
        if !supported.isEmpty { parts.append("; \(supported.joined(separator: ", "))") }
        return parts.joined()
    }
}
