// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Notifying
import Probing
package import Schema

extension ConfigurationSchema {
    /// An element of `notify`.
    package static let receiver = ObjectSchema(
        "a receiver",
        fields: receiverKeys.fields(of: ReceiverSettings(name: "", channel: .webhook(emptyWebhook)))
    )

    /// The keys of an element, with the properties that they set.
    static let receiverKeys: [Setting<ReceiverSettings>] = [
        Setting(
            "name",
            .text(.identifier),
            example: "chat",
            isRequired: true,
            synonyms: ["id"],
            "What it is called: in the log, in /status, and for the place where it left off."
        ),
        Setting(
            "webhook",
            .object(webhook),
            example: "{ url: https://chat.example.org/hooks/reachd }",
            synonyms: ["http", "url", "webhook_configs"],
            "An HTTP server that is sent each message."
        ),
        Setting(
            "alertmanager",
            .object(alertmanager),
            example: #"{ urls: [ "http://alertmanager:9093" ] }"#,
            synonyms: ["alertmanagers", "prometheus"],
            "Prometheus' Alertmanagers that are sent alerts, each all of them."
        ),
        Setting(
            "filter",
            .object(notificationFilter),
            example: "{ min_severity: critical }",
            synonyms: ["match", "matchers", "route"],
            "What it is told; everything when absent."
        ),
        Setting(
            "group_wait",
            \.pace.groupWait,
            .duration(milliseconds: 0...3_600_000),
            synonyms: ["group_interval"],
            "For webhook: how long targets that cannot be judged from here, and those that can be again, are gathered into one "
                + "message."
        ),
        Setting(
            "max_per_target",
            \.pace.perTarget,
            .integer(1...100),
            example: "6",
            synonyms: ["rate_limit"],
            "For webhook: messages about one target within rate_window; what comes after that is told in one, with its number."
        ),
        Setting(
            "rate_window",
            \.pace.window,
            .duration(milliseconds: 1_000...86_400_000),
            synonyms: ["window"],
            "See max_per_target."
        ),
        Setting(
            "refusals",
            \.retry.refusals,
            .integer(1...100),
            synonyms: ["max_tries", "retries", "max_retries"],
            "How often a message is tried that is refused (3xx, 4xx but 408, 425 and 429) before it is given up; all others are "
                + "tried until they arrive."
        ),
        Setting(
            "max_backoff",
            \.retry.longestPause,
            .duration(milliseconds: 1_000...3_600_000),
            synonyms: ["max_interval", "backoff"],
            "The longest pause between tries; the first is a second, and each is twice the one before."
        ),
    ]

    /// `webhook` of a receiver.
    package static let webhook = ObjectSchema(
        "a webhook",
        fields: requestFields(urlSummary: "Where messages go.", webhookKeys.fields(of: emptyWebhook))
    )

    /// A webhook without a server.
    private static let emptyWebhook = WebhookSettings(request: .sample)

    /// The keys of a webhook alone, with the properties that they set.
    static let webhookKeys: [Setting<WebhookSettings>] = [
        Setting("method", .text(.line), example: "PUT", defaultValue: "POST", synonyms: ["verb"], "The method."),
        Setting(
            "content_type",
            \.contentType,
            .text(.line),
            example: "text/plain",
            synonyms: ["mime_type"],
            "What the body is; in one of JSON fields are escaped for it."
        ),
        Setting(
            "body",
            .text(.script),
            example: #"'{"text": "{{text}}"}'"#,
            synonyms: ["template", "payload"],
            "The body, with {{FIELD}} where something of the message belongs; reachd's own JSON when absent."
        ),
        Setting(
            "secret_file",
            \.secretFile,
            .text(.path),
            example: "/run/secrets/chat-hmac",
            synonyms: ["secret", "hmac_secret", "signing_key"],
            "The file whose only line is the key for the header Reachd-Signature: t=SECONDS,v1=HMAC-SHA256 of "
                + "SECONDS.BODY in hexadecimal digits. Not signed when absent."
        ),
    ]

    /// `alertmanager` of a receiver.
    package static let alertmanager = ObjectSchema(
        "an Alertmanager",
        fields: [
            Field(
                "urls",
                .oneOrMore(.text(.script)),
                example: #"[ "http://alertmanager-1:9093", "http://alertmanager-2:9093" ]"#,
                isRequired: true,
                synonyms: ["url", "targets", "address"],
                "Where they are, without /api/v2/alerts; all members of a cluster."
            )
        ]
            + requestFields(
                urlSummary: nil,
                alertmanagerKeys.fields(of: AlertmanagerSettings(request: .sample))
            )
    )

    /// The keys of an Alertmanager alone, with the properties that they set.
    static let alertmanagerKeys: [Setting<AlertmanagerSettings>] = [
        Setting(
            "resend_interval",
            \.resendInterval,
            .duration(milliseconds: 1_000...3_600_000),
            synonyms: ["resend_delay", "repeat_interval"],
            "How often alerts are sent that go on; four times as long without one ends them."
        ),
        Setting(
            "labels",
            \.labels,
            .labels,
            example: "{ site: berlin }",
            synonyms: ["external_labels"],
            "Labels of every alert."
        ),
        Setting(
            "external_url",
            \.externalURL,
            .text(.script),
            example: "https://reachd.example.org",
            synonyms: ["generator_url"],
            "What generatorURL begins with: where people reach reachd. None when absent."
        ),
    ]

    /// `filter` of a receiver.
    package static let notificationFilter = ObjectSchema(
        "a filter",
        fields: notificationFilterKeys.fields(of: NotificationFilter())
    )

    /// The keys of an element, with the properties that they set.
    static let notificationFilterKeys: [Setting<NotificationFilter>] = [
        Setting(
            "targets",
            \.targets,
            .oneOrMore(.text(.identifier)),
            example: "[ nas, router ]",
            synonyms: ["target", "ids"],
            "Only these targets, by id."
        ),
        Setting(
            "groups",
            \.groups,
            .oneOrMore(.text(.line)),
            example: "[ internet ]",
            synonyms: ["group"],
            "Only targets of these groups."
        ),
        Setting("tags", \.tags, .labels, synonyms: ["labels", "tag"], "Only targets with all of these labels."),
        Setting(
            "from",
            \.from,
            .oneOrMore(targetState),
            example: "[ up, degraded ]",
            synonyms: ["old"],
            "Only changes from these states."
        ),
        Setting(
            "to",
            \.to,
            .oneOrMore(targetState),
            example: "[ down, unreachable ]",
            synonyms: ["states", "state", "new"],
            "Only changes to these states; to up, degraded, down and unreachable when absent."
        ),
        Setting(
            "min_severity",
            \.minimumSeverity,
            .choice([
                .init("info", synonyms: ["information"]), .init("warning", synonyms: ["warn"]),
                .init("critical", synonyms: ["crit", "error"]),
            ]),
            synonyms: ["severity", "minimum_severity", "level"],
            "Only changes that are as bad as this: to or from down is critical, to or from degraded and unreachable a warning."
        ),
    ]

    private static let targetState = FieldType.choice([
        .init("unknown"), .init("up", synonyms: ["ok", "healthy"]), .init("degraded", synonyms: ["warning"]),
        .init("down", synonyms: ["failed", "critical"]), .init("unreachable"), .init("paused"), .init("maintenance"),
    ])

    /// Keys of a request that is made again and again.
    private static func requestFields(urlSummary: String?, _ own: [Field]) -> [Field] {
        let url = urlSummary.map {
            Field(
                "url",
                .text(.script),
                example: "https://chat.example.org/hooks/reachd",
                isRequired: true,
                synonyms: ["uri", "address", "endpoint"],
                $0
            )
        }
        return [url].compactMap(\.self) + own + [
            Field(
                "headers",
                .labels,
                example: "{ X-Source: reachd }",
                synonyms: ["header", "http_headers"],
                "Headers that are sent."
            ),
            Field(
                "header_files",
                .labels,
                example: "{ X-Api-Key: /run/secrets/chat-key }",
                synonyms: ["secret_headers"],
                "Headers whose value is the only line of a file, by name; read each time."
            ),
            Field(
                "auth",
                .object(HTTPCredentials.schema),
                example: "{ token_file: /run/secrets/chat-token }",
                synonyms: ["basic_auth", "bearer_token", "authorization"],
                "What is shown to be let in."
            ),
            Field(
                "proxy",
                .object(HTTPProxy.schema),
                example: "{ host: proxy.example.org, port: 3128 }",
                synonyms: ["proxy_url", "http_proxy"],
                "The proxy to go through."
            ),
            Field(
                "tls",
                .object(TLSSettings.schema),
                example: "{ ca_file: /etc/ssl/certs/internal.pem }",
                synonyms: ["tls_config", "ssl"],
                "How TLS is spoken, as for probes."
            ),
            Field(
                "timeout",
                .duration(milliseconds: 100...300_000),
                defaultValue: "10s",
                "How long a try may take, look-up and all."
            ),
        ]
    }
}

extension TargetState: SettingValue {}
extension Severity: SettingValue {}
