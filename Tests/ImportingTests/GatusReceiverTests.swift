// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Notifying
import Probing
import Testing

@testable import Importing

@Suite struct GatusReceiverTests {
    private func imported(_ text: String) throws -> ImportedConfiguration {
        try ImportedConfiguration(Array(text.utf8), path: "gatus.yaml", format: .gatus)
    }

    private static let providers = """
        alerting:
          discord: { webhook-url: "https://discord.com/api/webhooks/S3CRET", default-alert: { send-on-resolved: true } }
          slack: { webhook-url: "https://hooks.slack.com/S3CRET" }
          teams: { webhook-url: "https://example.webhook.office.com/S3CRET" }
          teams-workflows: { webhook-url: "https://example.logic.azure.com/S3CRET" }
          mattermost: { webhook-url: "https://mm.example.org/hooks/S3CRET", channel: alerts, client: { insecure: true, timeout: 5s } }
          telegram: { token: S3CRET, id: "-1001", topic-id: "17" }
          ntfy: { topic: mine, url: "https://ntfy.example.org", token: tk_S3CRET, priority: 5 }
          pushover: { application-token: S3CRET, user-key: S3CRET, device: phone }
          pagerduty: { integration-key: S3CRET }
          opsgenie: { api-key: S3CRET }
          matrix: { internal-room-id: "!a:b.org", access-token: S3CRET }
          gotify: { server-url: "https://gotify.example.org", token: S3CRET }
          email: { from: gatus@example.org, password: S3CRET, host: mail.example.org, port: 465, to: "a@example.org,b@example.org" }
          custom:
            url: "https://h.example.org/[ENDPOINT_NAME]?state=[ALERT_TRIGGERED_OR_RESOLVED]"
            method: PUT
            headers: { Authorization: "Bearer S3CRET", PRIVATE-TOKEN: S3CRET, X-Api-Token: S3CRET, User-Agent: gatus }
            placeholders: { ALERT_TRIGGERED_OR_RESOLVED: { TRIGGERED: partial_outage, RESOLVED: operational } }
            body: '{"text": "[ENDPOINT_GROUP]/[ENDPOINT_NAME]: [ALERT_DESCRIPTION]", "why": "[RESULT_ERRORS]", "url": "[ENDPOINT_URL]"}'
          github: { repository-url: "https://github.com/a/b", token: S3CRET }
          twilio: { sid: x, token: S3CRET, from: "1", to: "2" }

        """

    private static let types = [
        "custom", "discord", "email", "gotify", "matrix", "mattermost", "ntfy", "opsgenie", "pagerduty", "pushover",
        "slack", "teams",
        "teams-workflows", "telegram",
    ]

    private static let copied =
        "alerting.custom: url and body are written as they are; check whether they contain a secret"

    @Test("each provider that an alert names becomes a receiver, whose secrets are in files that notes name")
    func providers() throws {
        let alerts = (Self.types + ["github"]).map { "{ type: \($0) }" }.joined(separator: ", ")
        let imported = try imported(
            Self.providers + "endpoints:\n  - { name: a, url: \"tcp://192.0.2.1:1\", alerts: [ \(alerts) ] }\n"
        )
        #expect(!imported.text.contains("S3CRET") && !imported.notes.contains { $0.words.contains("S3CRET") })
        let receivers = try load(imported.text).receivers
        #expect(receivers.map(\.name) == Self.types)
        #expect(
            receivers.map(\.channel.name)
                == Self.types.map { ["custom": "webhook", "teams-workflows": "teams"][$0] ?? $0 }
        )
        #expect(receivers.allSatisfy { $0.filter == NotificationFilter() })
        let words = imported.notes.map(\.words)
        for (key, file) in [
            ("discord.webhook-url", "discord-webhook-url"), ("pagerduty.integration-key", "pagerduty-integration-key"),
            ("email.password", "email-password"), ("custom.headers.Authorization", "custom-authorization"),
            ("custom.headers.PRIVATE-TOKEN", "custom-private-token"),
        ] {
            #expect(words.contains("put the value of alerting.\(key) in the file /run/secrets/\(file)"))
            #expect(imported.text.contains("/run/secrets/\(file)"))
        }
        #expect(
            words.contains(
                "alerting.github is not carried over: reachd has no such service; 1 endpoint has such alerts"
            )
        )
        #expect(words.contains("alerting, which no enabled alert uses: 'twilio' is not carried over"))
        #expect(words.contains("alerting.ntfy: 'priority' is not carried over"))
        // All but discord's default alert.
        #expect(words.contains("the end of a problem is sent, too, also of 14 alerts without send-on-resolved"))
        guard case .email(let mail) = receivers[2].channel, case .service(let chat) = receivers[5].channel else {
            Issue.record("other channels")
            return
        }
        #expect(mail.server.host == "mail.example.org" && mail.server.security == .tls && mail.to.count == 2)
        #expect(mail.server.login?.user == "gatus@example.org" && mail.from == "gatus@example.org")
        #expect(chat.texts["channel"] == "alerts" && chat.timeout == .seconds(5))
    }

    @Test("a custom provider becomes a webhook with reachd's fields for Gatus' placeholders")
    func custom() throws {
        let imported = try imported(
            Self.providers + "endpoints: [ { name: a, url: \"tcp://192.0.2.1:1\", alerts: [ { type: custom } ] } ]\n"
        )
        guard case .webhook(let webhook)? = try load(imported.text).receivers.first?.channel else {
            Issue.record("no webhook")
            return
        }
        let status = "{{status|firing=partial_outage,resolved=operational}}"
        #expect(webhook.request.method == "PUT" && webhook.contentType == "application/json")
        #expect(webhook.urlTemplate == (try URLTemplate("https://h.example.org/{{target.name}}?state=\(status)")))
        let body = #"{"text": "{{target.group}}/{{target.name}}: {{text}}", "why": "{{reason.detail}}", "url": ""}"#
        #expect(webhook.template == (try MessageTemplate(body, form: .json)))
        #expect(
            webhook.headerFiles == [
                "Authorization": "/run/secrets/custom-authorization",
                "PRIVATE-TOKEN": "/run/secrets/custom-private-token",
                "X-Api-Token": "/run/secrets/custom-x-api-token",
            ]
        )
        #expect(webhook.request.headers.map(\.name) == ["User-Agent"])
        #expect(imported.notes.contains { $0.words == Self.copied })
        #expect(imported.notes.contains { $0.words.contains("[ENDPOINT_URL] is left out") })
    }

    @Test("a receiver is for the groups or targets with its alerts, and an override for its group")
    func filters() throws {
        let imported = try imported(
            """
            alerting:
              slack:
                webhook-url: x
                overrides: [ { group: core, webhook-url: y }, { group: none, webhook-url: z } ]
              ntfy: { topic: t }
              gotify: { server-url: "https://g", token: t }
            endpoints:
              - { name: a, group: core, url: "tcp://192.0.2.1:1", alerts: [ { type: slack, description: d }, { type: ntfy } ] }
              - { name: b, group: core, url: "tcp://192.0.2.1:2", alerts: [ { type: slack }, { type: ntfy } ] }
              - { name: c, group: edge, url: "tcp://192.0.2.1:3", alerts: [ { type: slack }, { type: gotify } ] }
              - { name: d, group: edge, url: "tcp://192.0.2.1:4", alerts: [ { type: slack }, { type: gotify, enabled: false } ] }
              - { name: e, url: "tcp://192.0.2.1:5", alerts: [ { type: slack } ] }

            """
        )
        let receivers = try load(imported.text).receivers
        #expect(receivers.map(\.name) == ["gotify", "ntfy", "slack-core", "slack"])
        #expect(receivers[0].filter.targets == ["edge_c"] && receivers[0].filter.groups.isEmpty)
        #expect(receivers[1].filter.groups == ["core"] && receivers[1].filter.targets.isEmpty)
        #expect(receivers[2].filter.groups == ["core"])
        #expect(receivers[3].filter.targets == ["edge_c", "edge_d", "e"])
        #expect(imported.notes.contains { $0.words.contains("the description of 1 alert is not carried over") })
    }
}
