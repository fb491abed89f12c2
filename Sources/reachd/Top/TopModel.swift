// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// What `reachd top` knows of a service: from its lists, kept up to date by its events.
struct TopModel: Sendable {
    /// A target.
    struct Target: Sendable {
        var id: String
        var name: String
        var group: String
        var state: String
        /// When the state began, in milliseconds since 1970.
        var since: Int64?
        /// The last latency in seconds; nil after a failure and without a probe.
        var latency: Double?
        /// The newest latencies, oldest first; nil for a failure.
        var recent: [Double?] = []
        var why: String
    }

    /// An open incident.
    struct Incident: Sendable {
        var title: String
        var severity: String
        var kind: String
        /// When it was opened, in milliseconds since 1970.
        var opened: Int64?
        /// Whether the fault lies before the targets, and is not about another node of a fleet.
        var isShared: Bool
        var marks: IncidentText.Marks
    }

    /// The latencies that are kept of a target.
    static let kept = 60
    /// Targets that are kept at most.
    private static let limit = 100_000

    /// Where the service is.
    var place: String
    /// The network in words.
    private(set) var network = "unknown"
    /// Whether it is usable.
    private(set) var isOnline = false
    private(set) var targets: [String: Target] = [:]
    private(set) var incidents: [String: Incident] = [:]
    /// When the connection was lost, and why; nil while there is one.
    var lost: (since: Timestamp, reason: String)?

    init(place: String) { self.place = place }

    /// Takes the network of `/status`.
    mutating func setNetwork(_ block: JSONValue?) {
        guard let block else { return }
        setNetwork(block["system_configuration"], path: block)
    }

    /// Takes the status and reachability, and the block with the path.
    private mutating func setNetwork(_ system: JSONValue?, path: JSONValue) {
        network = (system?["status"]?.words).map { PathFormatter.word($0) + PathFormatter.suffix(path) } ?? "unknown"
        isOnline = system?["reachable"]?.boolean == true
    }

    /// The open incidents that no other one covers.
    var shownIncidents: [String: Incident] {
        incidents.filter { $0.value.marks.coveredBy.map { incidents[$0] == nil } ?? true }
    }

    /// The same, the nearest fault first.
    var rankedIncidents: [(key: String, value: Incident)] {
        shownIncidents.sorted {
            (IncidentOrder.rank($0.value.kind), -($0.value.opened ?? 0), $0.key)
                < (IncidentOrder.rank($1.value.kind), -($1.value.opened ?? 0), $1.key)
        }
    }

    /// Takes a target's body.
    mutating func set(_ body: JSONValue) {
        guard let id = body["id"]?.words, targets.count < Self.limit || targets[id] != nil else { return }
        let latency = TargetRows.latency(body)
        var recent = targets[id]?.recent ?? []
        if recent.isEmpty, let result = body["last_result"] { recent = Self.entry(result).map { [$0] } ?? [] }
        targets[id] = Target(
            id: id,
            name: body["name"]?.words ?? id,
            group: body["group"]?.words ?? "",
            state: body["state"]?.words ?? "unknown",
            since: body["since"]?.moment?.milliseconds,
            latency: latency,
            recent: recent,
            why: TargetRows.why(body)
        )
    }

    /// Takes the latencies that a target had before, oldest first.
    mutating func setRecent(_ values: [Double?], of id: String) {
        guard !values.isEmpty else { return }
        targets[id]?.recent = Array(values.suffix(Self.kept))
    }

    /// Takes an incident's body.
    mutating func setIncident(_ body: JSONValue) {
        guard let id = body["id"]?.text else { return }
        guard body["state"]?.text == "open" else {
            incidents[id] = nil
            return
        }
        incidents[id] = Incident(
            title: body["title"]?.words ?? "?",
            severity: body["severity"]?.words ?? "down",
            kind: body["kind"]?.text ?? "",
            opened: IncidentText.began(body)?.milliseconds,
            isShared: ["local_network", "dns", "path"].contains(body["cause"]?.text) && body["origin"] == nil,
            marks: IncidentText.Marks(body)
        )
    }

    /// A result among the newest latencies: an inner nil for a failure; nil for a success without a duration, such as a heartbeat.
    private static func entry(_ result: JSONValue) -> Double?? {
        guard result["success"]?.boolean == true else { return .some(nil) }
        return TargetRows.latency(.object([("last_result", result)])).map { .some($0) }
    }

    /// Takes an event.
    ///
    /// - Returns: Whether the lists must be read again: events are missing.
    mutating func take(_ type: String, _ data: JSONValue) -> Bool {
        let id = data["target"]?.words
        switch type {
        case "reset", "lagged": return true
        case "reachability" where id == nil: setNetwork(data, path: data)
        case "incident": if let body = data["incident"] { setIncident(body) }
        case "target":
            guard let body = data["target"], let id = body["id"]?.words else { return false }
            // In a fleet's scope it is a declaration without a state.
            guard data["action"]?.text == "removed" || body["state"] != nil else { return true }
            if data["action"]?.text == "removed" { targets[id] = nil } else { set(body) }
        case "state":
            guard let id, targets[id] != nil, let to = data["to"]?.words else { return false }
            targets[id]?.why = data["reason"].flatMap { ReasonFormatter.text($0, cause: data["cause"]) } ?? ""
            guard targets[id]?.state != to else { return false }
            targets[id]?.state = to
            targets[id]?.since = data["at"]?.moment?.milliseconds
        case "result":
            guard let id, targets[id] != nil, let result = data["result"] else { return false }
            targets[id]?.latency = TargetRows.latency(.object([("last_result", result)]))
            guard let entry = Self.entry(result) else { return false }
            targets[id]?.recent.append(entry)
            if let count = targets[id]?.recent.count, count > Self.kept { targets[id]?.recent.removeFirst() }
        default: break
        }
        return false
    }
}
