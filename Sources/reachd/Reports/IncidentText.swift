// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Parts of an incident in words, from its body in the HTTP interface.
enum IncidentText {
    /// When the present outage began.
    static func began(_ incident: JSONValue) -> Timestamp? {
        (incident["reopened_at"] ?? incident["opened_at"])?.moment
    }

    static func opened(_ incident: JSONValue, _ now: Timestamp) -> String {
        began(incident).map { LocalTimeFormatter.recent($0, now) } ?? "?"
    }

    /// How long the present outage lasted, up to now if it is open.
    static func lasted(
        _ incident: JSONValue,
        _ now: Timestamp,
        format: (Int64) -> String = DurationFormatter.long
    ) -> String? {
        guard let opened = began(incident) else { return nil }
        let end = incident["state"]?.text == "open" ? now : incident["closed_at"]?.moment
        return end.map {
            format($0.milliseconds.subtractingReportingOverflow(opened.milliseconds).0)
        }
    }

    /// What people did about an incident, and what it has to do with others.
    struct Marks: Sendable {
        /// The id of the incident that covers it.
        let coveredBy: String?
        private let acknowledgedBy: String?
        private let mutedUntil: Timestamp?

        init(_ incident: JSONValue) {
            coveredBy = incident["covered_by"]?.text
            acknowledgedBy = incident["acknowledged", "by"]?.words
            mutedUntil = incident["muted_until"]?.moment
        }

        /// ` [acknowledged by anna, muted]`; "" for none.
        ///
        /// - Parameters:
        ///   - now: the time, after which a mute may be over; nil if it is not known.
        ///   - covers: how many others it covers.
        func text(_ now: Timestamp?, covers: Int = 0) -> String {
            var marks: [String] = []
            if covers > 0 { marks.append("covers \(covers) older \(covers == 1 ? "incident" : "incidents")") }
            if coveredBy != nil { marks.append("covered by a nearer fault") }
            if let acknowledgedBy { marks.append("acknowledged by \(acknowledgedBy)") }
            if let mutedUntil, now.map({ mutedUntil > $0 }) ?? true { marks.append("muted") }
            return marks.isEmpty ? "" : " [\(marks.joined(separator: ", "))]"
        }
    }

    /// What ended with it: `eth0 is back`; nil for a cause that concerns its targets alone.
    static func ending(_ incident: JSONValue) -> String? {
        let subject = incident["subject"]?.words.map { String($0.prefix { $0 != " " }) } ?? "?"
        switch incident["kind"]?.text {
        case "link": return "\(subject) is back"
        case "route": return "Routes are back"
        case "firewall": return "This machine's firewall lets packets pass again"
        case "gateway": return "Gateway \(subject) forwards packets again"
        case "internet": return "Anchors answer again"
        case "dns": return "Names can be resolved again"
        case "router": return "Router \(subject) forwards packets again"
        case "hop": return "Packets pass \(subject) again"
        case "mtu": return "Large packets pass \(subject) again"
        case "parent": return "\(subject) can be used again"
        case "certificate": return "The certificate is accepted again"
        case "refusal": return "\(subject) accepts connections again"
        case "silence": return "\(subject) answers again"
        default: return nil
        }
    }
}

/// The order of incidents for people: open ones first, the fault nearest to this machine before those that it explains, covered ones
/// behind the others; of equal ones the newest.
enum IncidentOrder {
    private static let kinds = IncidentCause.Kind.allCases.map(\.rawValue)

    /// The place of an open incident by its kind in the HTTP interface; 0 for the nearest.
    static func rank(_ kind: String?) -> Int { kind.flatMap { kinds.firstIndex(of: $0) } ?? kinds.count }

    /// The incidents of a list in which the newest are first.
    static func sorted(_ incidents: [JSONValue]) -> [JSONValue] {
        incidents.enumerated().map { place, incident in
            let isOpen = incident["state"]?.text == "open"
            let isCovered = incident["covered_by"] != nil
            let rank = isOpen ? isCovered ? kinds.count + 1 : rank(incident["kind"]?.text) : kinds.count + 2
            return (rank: rank, place: place, incident: incident)
        }.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.incident)
    }

    /// How many incidents of a list each one covers, by its id.
    ///
    /// - Parameter coverers: for each incident of the list, the id of the one that covers it.
    static func covered(_ coverers: some Sequence<String?>) -> [String: Int] {
        coverers.compactMap(\.self).reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
