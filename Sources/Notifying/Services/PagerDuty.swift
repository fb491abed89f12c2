// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import Probing
import Schema

extension MessagingService {
    /// PagerDuty: an event of the Events API v2 (https://developer.pagerduty.com/docs/events-api-v2-overview). It triggers,
    /// acknowledges or resolves the alert whose `dedup_key` is the incident's key. 202: accepted, 400: invalid, 429: too many.
    static let pagerduty = MessagingService(
        "pagerduty",
        server: .base(defaultURL: "https://events.pagerduty.com"),
        regions: ["us": "https://events.pagerduty.com", "eu": "https://events.eu.pagerduty.com"],
        example: "{ routing_key_file: /run/secrets/pagerduty }",
        synonyms: ["pager_duty"],
        "The PagerDuty service whose incidents messages open, acknowledge and close.",
        fields: [
            Field(
                "routing_key_file",
                .text(.path),
                example: "/run/secrets/pagerduty",
                isRequired: true,
                synonyms: ["routing_key", "integration_key", "service_key", "integration_key_file"],
                "File with the integration key of the service (Events API v2) as its only line."
            )
        ],
        keepsIncidents: true,
        showsAcknowledgements: true
    ) { card, draft throws(ProbeFault) in
        let routingKey = try draft.secret("routing_key_file") ?? ""
        var json = JSONWriter()
        json.object { json in
            json.member("routing_key", routingKey)
            json.member("event_action", card.action.pagerDutyWord)
            json.member("dedup_key", card.key)
            // Acknowledging and resolving take nothing else.
            guard card.action == .open else { return }
            json.member("payload") { payload(of: card, to: &$0) }
            json.member("client", "reachd")
            guard let link = card.link else { return }
            json.member("client_url", link)
            json.key("links")
            json.array([link]) { json, link in
                json.object { json in
                    json.member("href", link)
                    json.member("text", "Open in reachd")
                }
            }
        }
        return ServiceRequest(url: try draft.url("/v2/enqueue"), body: json.take())
    }

    private static func payload(of card: MessageCard, to json: inout JSONWriter) {
        json.member("summary", card.title.shortened(to: 1_024))
        json.member("source", card.source.shortened(to: 255))
        json.member("severity", card.message.severity.rawValue)
        json.member("timestamp", card.message.incident?.openedAt ?? card.at)
        json.member("component", optional: card.message.target?.target.shortened(to: 255))
        json.member("group", optional: card.message.target?.group?.shortened(to: 255))
        let cause = card.message.causes.count == 1 ? card.message.causes.first?.key.rawValue : nil
        json.member("class", optional: cause)
        json.member("custom_details") { json in
            json.member("Message", optional: card.sentence?.shortened(to: 2_000))
            for fact in card.facts { json.member(named: fact.name, fact.text.shortened(to: 1_000)) }
        }
    }
}

extension IncidentAction {
    /// A word of `event_action`.
    fileprivate var pagerDutyWord: String {
        switch self {
        case .open: "trigger"
        case .acknowledge: "acknowledge"
        case .close: "resolve"
        }
    }
}
