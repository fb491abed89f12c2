// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import LinuxIO
import Monitoring
import Probing
import Schema

extension MessagingService {
    /// Opsgenie: the Alert API (https://docs.opsgenie.com/docs/alert-api). An alert is created, acknowledged and closed by its alias,
    /// which is the incident's key; a further creation is counted at the open alert. 202: accepted, 422: invalid, 429: too many.
    static let opsgenie = MessagingService(
        "opsgenie",
        server: .base(defaultURL: "https://api.opsgenie.com"),
        regions: ["us": "https://api.opsgenie.com", "eu": "https://api.eu.opsgenie.com"],
        example: "{ api_key_file: /run/secrets/opsgenie }",
        "The Opsgenie account whose alerts messages open, acknowledge and close.",
        fields: [
            Field(
                "api_key_file",
                .text(.path),
                example: "/run/secrets/opsgenie",
                isRequired: true,
                synonyms: ["api_key", "genie_key", "key"],
                "File with the key of an API integration as its only line."
            )
        ],
        keepsIncidents: true,
        showsAcknowledgements: true
    ) { card, draft throws(ProbeFault) in
        let alias = URLText.escaped(card.key)
        let path =
            switch card.action {
            case .open: "/v2/alerts"
            case .acknowledge: "/v2/alerts/\(alias)/acknowledge?identifierType=alias"
            case .close: "/v2/alerts/\(alias)/close?identifierType=alias"
            }
        var json = JSONWriter()
        json.object { json in
            json.member("source", "reachd")
            if card.action == .open {
                alert(card, to: &json)
            } else {
                json.member("note", card.title.shortened(to: 2_000))
            }
        }
        var request = ServiceRequest(url: try draft.url(path), body: json.take())
        request.headers = [("Authorization", "GenieKey \(try draft.secret("api_key_file") ?? "")")]
        return request
    }

    private static func alert(_ card: MessageCard, to json: inout JSONWriter) {
        json.member("message", card.title.shortened(to: 130))
        json.member("alias", card.key)
        let link = card.link.map { ["Open in reachd: \($0)"] } ?? []
        let lines = ([card.title] + card.lines).map { $0.shortened(to: 1_000) } + link
        json.member("description", lines.joined(separator: "\n").shortened(to: 15_000))
        json.member("entity", card.source.shortened(to: 512))
        json.member("priority", card.message.severity.opsgeniePriority)
        let tags = [card.message.target?.group].compactMap(\.self) + card.message.causes.keys.map(\.rawValue).sorted()
        json.key("tags")
        json.array(tags.prefix(20)) { $0.string($1.shortened(to: 50)) }
        // All of them may have 8,000 characters.
        json.member("details") { json in
            for fact in card.facts { json.member(named: fact.name, fact.text.shortened(to: 500)) }
        }
    }
}

extension Severity {
    /// P1 to P5; P3 is the default.
    fileprivate var opsgeniePriority: String {
        switch self {
        case .critical: "P1"
        case .warning: "P3"
        case .info: "P5"
        }
    }
}
