// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import NetworkPaths

/// Renders `/status` for a terminal.
struct StatusReport {
    private let status: JSONValue
    private let incidents: JSONValue?
    private let place: String
    private let now: Timestamp

    /// - Parameters:
    ///   - status: the answer to `GET /status`.
    ///   - incidents: the answer to `GET /incidents?state=open`; nil where there is none.
    ///   - place: where the service is.
    ///   - now: the time, for open incidents.
    init(_ status: JSONValue, incidents: JSONValue?, place: String, now: Timestamp) {
        self.status = status
        self.incidents = incidents
        self.place = place
        self.now = now
    }

    func lines(on terminal: Terminal) -> [String] {
        var lines: [String] = []
        func add(_ name: String, _ text: String?) {
            guard let text, !text.isEmpty else { return }
            let head = terminal.paint(TerminalText.padded(name, to: 9), .bold) + " "
            lines += TerminalText.hanging(head, text, to: terminal.width)
        }
        let incidents = incidents?["incidents"]?.elements ?? []
        let covered = IncidentOrder.covered(incidents.map { $0["covered_by"]?.text })
        let ids = Set(incidents.compactMap { $0["id"]?.text })
        for incident in IncidentOrder.sorted(incidents)
        where incident["covered_by"]?.text.map({ !ids.contains($0) }) ?? true {
            add("incident", self.incident(incident, covers: covered[incident["id"]?.text ?? ""] ?? 0, terminal))
        }
        add("", moreIncidents)
        add("service", service)
        add("network", network(terminal))
        add("fleet", fleet(terminal))
        add("targets", summary(terminal))
        add("internet", anchors(terminal))
        add("history", history(terminal))
        for receiver in status["notifications"]?.elements ?? [] { add("notify", self.receiver(receiver, terminal)) }
        return lines
    }

    private func incident(_ incident: JSONValue, covers: Int, _ terminal: Terminal) -> String {
        let title = terminal.paint(incident["title"]?.words ?? "?", StateColor.of(incident["severity"]?.text ?? ""))
        let length = IncidentText.lasted(incident, now).map { ", \($0)" } ?? ""
        let marks = IncidentText.Marks(incident).text(now, covers: covers)
        return "\(title) (since \(IncidentText.opened(incident, now))\(length))\(marks)"
    }

    private var moreIncidents: String? {
        let rest = (incidents?["open"]?.integer ?? 0) - (incidents?["incidents"]?.elements?.count ?? 0)
        return rest > 0 ? "and \(rest) more: reachd incidents" : nil
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
        let status = network["system_configuration", "status"]?.words ?? "unknown"
        let isOnline = network["system_configuration", "reachable"]?.boolean == true
        let color = isOnline ? TerminalColor.green : StateColor.of(status)
        return terminal.paint(PathFormatter.word(status), color) + PathFormatter.suffix(network)
    }

    /// The node's standing in its fleet; nil without one.
    private func fleet(_ terminal: Terminal) -> String? {
        guard let fleet = status["fleet"], let node = fleet["node"]?.words else { return nil }
        let isMember = fleet["has_lease"]?.boolean == true
        let standing = terminal.paint(isMember ? "member" : "not counted", isMember ? .green : .yellow)
        var text = "\(standing), node \(node) in \(fleet["location"]?.words ?? "?")"
        text += ", \(fleet["targets"]?.integer ?? 0) targets here"
        if let coordinator = fleet["coordinator"]?.words { text += ", coordinator \(coordinator)" }
        guard fleet["database", "is_usable"]?.boolean == false else { return text }
        let reason = fleet["database", "detail"]?.words.map { ": \($0)" } ?? ""
        return text + "; " + terminal.paint("the database cannot be used\(reason)", .red)
    }

    private func summary(_ terminal: Terminal) -> String {
        guard status["summary"] != nil else { return "unknown; --scope node shows this node's" }
        let total = status["summary", "total"]?.integer ?? 0
        let states = TargetState.allCases.map(\.rawValue).sorted { StateOrder.rank($0) < StateOrder.rank($1) }
        let parts = states.compactMap { state -> String? in
            guard let count = status["summary", state]?.integer, count > 0 else { return nil }
            return terminal.paint("\(count) \(state)", StateColor.of(state))
        }
        let whose = status["fleet"] == nil ? "" : status["scope"]?.text == "fleet" ? " in the fleet" : " on this node"
        return "\(total)\(whose)" + (parts.isEmpty ? "" : ": ") + parts.joined(separator: ", ")
    }

    private func anchors(_ terminal: Terminal) -> String? {
        guard let anchors = status["anchors"], let total = anchors["total"]?.integer, let up = anchors["up"]?.integer
        else {
            return nil
        }
        let isDown = anchors["is_internet_down"]?.boolean == true
        let word = terminal.paint(isDown ? "down" : "up", isDown ? .red : .green)
        return "\(word), \(up) of \(total) anchors up (quorum \(anchors["quorum"]?.integer ?? 1))"
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
        if let waiting = receiver["pending"]?.integer, waiting > 0 { text += ", \(waiting) queued" }
        if state != "ok", let detail = receiver["last_error", "detail"]?.words { text += ": \(detail)" }
        return text
    }
}

/// The path of a status block, for people.
enum PathFormatter {
    /// The status of this machine's network in one word.
    static func word(_ status: String) -> String {
        switch status {
        case "reachable_via_wifi", "reachable_via_wwan": "online"
        case "not_reachable": "offline"
        default: status
        }
    }

    /// The status of a target's path in one word.
    static func targetWord(_ status: String) -> String {
        switch status {
        case "reachable_via_wifi", "reachable_via_wwan": "reachable"
        case "not_reachable": "not reachable"
        default: status
        }
    }

    /// ` by eth0 via 192.0.2.1` of a status block; "" without an interface.
    static func route(_ block: JSONValue) -> String {
        guard let path = block["path"], let name = path["interface", "name"]?.words else { return "" }
        return " by \(name)" + (path["gateway"]?.words.map { " via \($0)" } ?? "")
    }

    /// ` by eth0 (wired) via 192.0.2.1, source 192.0.2.2; IPv4, DNS`, or `: no route`, of a status block; "" without a path.
    static func suffix(_ block: JSONValue) -> String {
        guard let path = block["path"] else { return "" }
        var parts: [String] = []
        if let reason = path["unsatisfied_reason"]?.words { parts.append(": \(self.reason(reason))") }
        if let name = path["interface", "name"]?.words {
            parts.append(" by \(name)" + (path["interface", "type"]?.words.map { " (\(interfaceType($0)))" } ?? ""))
        }
        if let gateway = path["gateway"]?.words { parts.append(" via \(gateway)") }
        if let source = path["source_address"]?.words { parts.append(", source \(source)") }
        let kinds = [("supports_ipv4", "IPv4"), ("supports_ipv6", "IPv6"), ("supports_dns", "DNS")]
        let isUsable = path["unsatisfied_reason"] == nil
        let supported = kinds.filter { isUsable && path[$0.0]?.boolean == true }.map(\.1)
        if !supported.isEmpty { parts.append("; \(supported.joined(separator: ", "))") }
        return parts.joined()
    }

    /// `wired` for the interface type `wired_ethernet`; others are words already.
    static func interfaceType(_ type: String) -> String { type == "wired_ethernet" ? "wired" : type }

    /// The reason for which a path is not usable, in words.
    static func reason(_ code: String) -> String {
        switch UnsatisfiedReason(rawValue: code) {
        case .noRoute: "no route"
        case .unreachable: "the route is of type unreachable"
        case .prohibited: "prohibited by a route or rule"
        case .blackhole: "the route is of type blackhole"
        case .linkDown: "the link is down"
        case .noCarrier: "no carrier"
        case .noInterface: "no such interface"
        case .noSourceAddress: "no source address"
        case .localAddressNotOurs: "the local address is not this machine's"
        case .loopbackDown: "the loopback interface is down"
        case .nameUnresolved: "the name does not resolve"
        case .connectionAvailable: "a connection must be established first"
        case .kernelRefused: "the kernel rejected the route lookup"
        case nil: code
        }
    }
}
