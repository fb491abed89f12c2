// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
package import Schema

extension ConfigurationSchema {
    /// An element of `notify`.
    package static let receiver = ObjectSchema(
        "a receiver",
        fields: [
            Field(
                "name",
                .text(.identifier),
                example: "chat",
                isRequired: true,
                synonyms: ["id"],
                "What it is called: in the log, in /status, and for the place where it left off."
            ),
            Field(
                "webhook",
                .object(webhook),
                example: "{ url: https://chat.example.org/hooks/reachd }",
                synonyms: ["http", "url", "webhook_configs"],
                "An HTTP server that is sent each message."
            ),
            Field(
                "alertmanager",
                .object(alertmanager),
                example: #"{ urls: [ "http://alertmanager:9093" ] }"#,
                synonyms: ["alertmanagers", "prometheus"],
                "Prometheus' Alertmanagers that are sent alerts, each all of them."
            ),
            Field(
                "filter",
                .object(notificationFilter),
                example: "{ min_severity: critical }",
                synonyms: ["match", "matchers", "route"],
                "What it is told; everything when absent."
            ),
            Field(
                "group_wait",
                .duration(milliseconds: 0...3_600_000),
                standard: "5s",
                synonyms: ["group_interval"],
                "For webhook: how long targets that cannot be judged from here, and those that can be again, are gathered into one "
                    + "message."
            ),
            Field(
                "max_per_target",
                .integer(1...100),
                example: "6",
                standard: "6",
                synonyms: ["rate_limit"],
                "For webhook: messages about one target within rate_window; what comes after that is told in one, with its number."
            ),
            Field(
                "rate_window",
                .duration(milliseconds: 1_000...86_400_000),
                standard: "10m",
                synonyms: ["window"],
                "See max_per_target."
            ),
            Field(
                "refusals",
                .integer(1...100),
                standard: "5",
                synonyms: ["max_tries", "retries", "max_retries"],
                "How often a message is tried that is refused (3xx, 4xx but 408, 425 and 429) before it is given up; all others are "
                    + "tried until they arrive."
            ),
            Field(
                "max_backoff",
                .duration(milliseconds: 1_000...3_600_000),
                standard: "5m",
                synonyms: ["max_interval", "backoff"],
                "The longest pause between tries; the first is a second, and each is twice the one before."
            ),
        ]
    )

    /// `webhook` of a receiver.
    package static let webhook = ObjectSchema(
        "a webhook",
        fields: requestFields(
            urlSummary: "Where messages go.",
            [
                Field("method", .text(.line), example: "PUT", standard: "POST", synonyms: ["verb"], "The method."),
                Field(
                    "content_type",
                    .text(.line),
                    example: "text/plain",
                    standard: "application/json",
                    synonyms: ["mime_type"],
                    "What the body is; in one of JSON fields are escaped for it."
                ),
                Field(
                    "body",
                    .text(.script),
                    example: #"'{"text": "{{text}}"}'"#,
                    synonyms: ["template", "payload"],
                    "The body, with {{FIELD}} where something of the message belongs; reachd's own JSON when absent."
                ),
                Field(
                    "secret_file",
                    .text(.path),
                    example: "/run/secrets/chat-hmac",
                    synonyms: ["secret", "hmac_secret", "signing_key"],
                    "The file whose only line is the key for the header Reachd-Signature: t=SECONDS,v1=HMAC-SHA256 of "
                        + "SECONDS.BODY in hexadecimal digits. Not signed when absent."
                ),
            ]
        )
    )

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
                [
                    Field(
                        "resend_interval",
                        .duration(milliseconds: 1_000...3_600_000),
                        standard: "1m",
                        synonyms: ["resend_delay", "repeat_interval"],
                        "How often alerts are sent that go on; four times as long without one ends them."
                    ),
                    Field(
                        "labels",
                        .labels,
                        example: "{ site: berlin }",
                        synonyms: ["external_labels"],
                        "Labels of every alert."
                    ),
                    Field(
                        "external_url",
                        .text(.script),
                        example: "https://reachd.example.org",
                        synonyms: ["generator_url"],
                        "What generatorURL begins with: where people reach reachd. None when absent."
                    ),
                ]
            )
    )

    /// `filter` of a receiver.
    package static let notificationFilter = ObjectSchema(
        "a filter",
        fields: [
            Field(
                "targets",
                .oneOrMore(.text(.identifier)),
                example: "[ nas, router ]",
                synonyms: ["target", "ids"],
                "Only these targets, by id."
            ),
            Field(
                "groups",
                .oneOrMore(.text(.line)),
                example: "[ internet ]",
                synonyms: ["group"],
                "Only targets of these groups."
            ),
            Field("tags", .labels, synonyms: ["labels", "tag"], "Only targets with all of these labels."),
            Field(
                "from",
                .oneOrMore(targetState),
                example: "[ up, degraded ]",
                synonyms: ["old"],
                "Only changes from these states."
            ),
            Field(
                "to",
                .oneOrMore(targetState),
                example: "[ down, unreachable ]",
                synonyms: ["states", "state", "new"],
                "Only changes to these states; to up, degraded, down and unreachable when absent."
            ),
            Field(
                "min_severity",
                .choice([
                    .init("info", synonyms: ["information"]), .init("warning", synonyms: ["warn"]),
                    .init("critical", synonyms: ["crit", "error"]),
                ]),
                standard: "info",
                synonyms: ["severity", "minimum_severity", "level"],
                "Only changes that are as bad as this: to or from down is critical, to or from degraded and unreachable a warning."
            ),
        ]
    )

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
                standard: "10s",
                "How long a try may take, look-up and all."
            ),
        ]
    }
}
