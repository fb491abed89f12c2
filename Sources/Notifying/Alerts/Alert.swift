// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import LinuxIO
import Monitoring

/// An alert as Alertmanager knows it: its labels are its identity.
struct Alert: Sendable, Hashable {
    /// The open incident that the target is part of. No label: the alert stays the same in another incident.
    struct Incident: Sendable, Hashable {
        let id: String
        let title: String
    }

    let labels: [String: String]
    let annotations: [String: String]
    let startsAt: Timestamp
    /// nil while it is active.
    var endsAt: Timestamp?
    let generatorURL: String?
    /// As of the last time that it was sent while it was active; nil in none.
    var incident: Incident?
    /// The URL of reachd's page, with a slash at its end; nil for no links.
    private let page: String?
    /// The number of the event that it was made of.
    let sequence: UInt64

    /// The alert of a target that is not up.
    init(_ change: StateChange, settings: AlertmanagerSettings) {
        var labels: [String: String] = [:]
        for (name, value) in change.tags { labels[Self.labelName(name)] = value }
        labels.merge(settings.labels) { $1 }
        labels["alertname"] = Self.name(of: change.to)
        labels["target"] = change.target
        labels["group"] = change.group
        labels["severity"] = Severity(change.to).rawValue
        labels["cause"] = change.cause?.rawValue
        // An empty label is the same as none, and some servers reject it.
        self.labels = labels.filter { !$0.value.isEmpty }
        let view = change.seenFrom.map { ", as seen from \($0)" } ?? ""
        var annotations = ["summary": "\(change.target) is \(change.to.rawValue)\(view)"]
        annotations["seen_from"] = change.seenFrom
        annotations["description"] = change.detail
        annotations["reason"] = change.reason
        annotations["event_id"] = change.id.description
        self.annotations = annotations
        startsAt = change.at
        sequence = change.sequence
        page = settings.externalURL.map { $0.hasSuffix("/") ? $0 : "\($0)/" }
        generatorURL = page.map { "\($0)targets/\(URLText.escaped(change.target, keeping: ":"))" }
    }

    /// The body of a request with an alert that says nothing and ends after a minute.
    static func testBody(at moment: Timestamp, settings: AlertmanagerSettings) -> [UInt8] {
        var json = JSONWriter()
        let end = Timestamp(milliseconds: moment.milliseconds + 60_000)
        json.array { test(at: moment, settings: settings).write(to: &$0, at: moment, horizon: end) }
        return json.take()
    }

    /// An alert that says nothing.
    static func test(at moment: Timestamp, settings: AlertmanagerSettings) -> Alert {
        Alert(
            labels: settings.labels.merging(["alertname": "ReachdTest", "severity": Severity.info.rawValue]) { $1 },
            annotations: ["summary": "This is a test of reachd, nothing is wrong."],
            startsAt: moment,
            generatorURL: settings.externalURL
        )
    }

    private init(labels: [String: String], annotations: [String: String], startsAt: Timestamp, generatorURL: String?) {
        self.labels = labels
        self.annotations = annotations
        self.startsAt = startsAt
        self.generatorURL = generatorURL
        page = nil
        sequence = 0
    }

    /// Names as rules and routes have them.
    private static func name(of state: TargetState) -> String {
        switch state {
        case .degraded: "TargetDegraded"
        case .unreachable: "TargetUnreachable"
        default: "TargetDown"
        }
    }

    /// The state that it is about.
    var state: TargetState {
        switch labels["alertname"] {
        case "TargetDegraded": .degraded
        case "TargetUnreachable": .unreachable
        default: .down
        }
    }

    /// Our own labels, which a tag of the same name must not take over.
    private static let reserved: Set<String> = ["alertname", "target", "group", "severity", "cause"]

    /// A label's name (`[a-zA-Z_][a-zA-Z0-9_]*`) for a tag's.
    static func labelName(_ tag: String) -> String {
        var name = String(
            decoding: tag.utf8.map { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: byte
                default: UInt8(ascii: "_")
                }
            },
            as: UTF8.self
        )
        if name.first.map({ ("0"..."9").contains($0) }) ?? true { name = "_\(name)" }
        // Names with two underscores in front are Prometheus' own.
        return reserved.contains(name) || name.hasPrefix("__") ? "tag_\(name)" : name
    }

    private var allAnnotations: [String: String] {
        guard let incident else { return annotations }
        var all = annotations
        all["incident"] = incident.id
        all["incident_title"] = incident.title
        all["incident_url"] = page.map { "\($0)?incident=\(URLText.escaped(incident.id))" }
        return all
    }

    /// Writes the alert.
    ///
    /// No time is later than now, and none before the start: a clock that ran ahead, and was set right, would make alerts that
    /// Alertmanager refuses, with all that are in the same request, or that do not end.
    ///
    /// - Parameters:
    ///   - moment: now.
    ///   - horizon: when it ends without another update.
    func write(to json: inout JSONWriter, at moment: Timestamp, horizon: Timestamp) {
        let end = endsAt.map { min($0, moment) }
        json.object { json in
            json.member("labels", texts: labels)
            json.member("annotations", texts: allAnnotations)
            json.member("startsAt", min(startsAt, end ?? moment))
            json.member("endsAt", end ?? horizon)
            json.member("generatorURL", optional: generatorURL)
        }
    }
}
