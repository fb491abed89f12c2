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
    static let receiverKeys: [Setting<ReceiverSettings>] =
        [
            Setting(
                "name",
                .text(.identifier),
                example: "chat",
                isRequired: true,
                synonyms: ["id"],
                "The receiver's name: in the log, in /status, and for its stored delivery offset."
            ),
            Setting(
                "webhook",
                .object(webhook),
                example: "{ url: https://chat.example.org/hooks/reachd }",
                synonyms: ["http", "url", "webhook_configs"],
                "The HTTP server that each message is sent to."
            ),
            Setting(
                "alertmanager",
                .object(alertmanager),
                example: #"{ urls: [ "http://alertmanager:9093" ] }"#,
                synonyms: ["alertmanagers", "prometheus"],
                "The Prometheus Alertmanagers that alerts are sent to; each receives all alerts."
            ),
        ]
        + MessagingService.all.map { service in
            Setting(
                service.name,
                .object(schema(of: service)),
                example: service.example,
                synonyms: service.synonyms,
                service.summary
            )
        } + [
            Setting(
                "email",
                .object(email),
                example: "{ url: \"smtp://mail.example.org\", from: reachd@example.org, to: ops@example.org }",
                synonyms: ["mail", "smtp", "email_configs"],
                "The mail addresses that messages are sent to."
            ),
            Setting(
                "filter",
                .object(notificationFilter),
                example: "{ min_severity: critical }",
                synonyms: ["match", "matchers", "route"],
                "Which changes are sent. Default: all."
            ),
            Setting(
                "group_wait",
                \.pace.groupWait,
                .duration(milliseconds: 0...3_600_000),
                synonyms: ["group_interval"],
                "How long reachd waits for further targets before it reports an incident whose cause other targets may share: this "
                    + "machine's network, the path, DNS or a parent. One that is over by then is not reported."
            ),
            Setting(
                "max_per_target",
                \.pace.perTarget,
                .integer(1...100),
                example: "6",
                synonyms: ["rate_limit"],
                "Maximum number of messages about one incident within rate_window, or for a fleet's targets about one target. "
                    + "After that one message reports the current state."
            ),
            Setting(
                "rate_window",
                \.pace.window,
                .duration(milliseconds: 1_000...86_400_000),
                synonyms: ["window"],
                "The period that max_per_target applies to."
            ),
            Setting(
                "after",
                .duration(milliseconds: 1_000...604_800_000),
                example: "10m",
                synonyms: ["delay", "escalate_after", "escalation"],
                "Escalation: notify this receiver only of incidents that last this long and that no person acknowledged. "
                    + "Default: notify it at once."
            ),
            Setting(
                "remind",
                .duration(milliseconds: 60_000...604_800_000),
                example: "4h",
                synonyms: ["reminder", "repeat", "repeat_interval"],
                "How often to send a reminder of an open incident that no person acknowledged. Default: never."
            ),
            Setting(
                "updates",
                \.schedule.updates,
                .duration(milliseconds: 0...86_400_000),
                synonyms: ["update_interval"],
                "How long after a message further targets of its incident are reported; with 0s they are not. A higher severity is "
                    + "reported at once."
            ),
            Setting(
                "quiet_hours",
                .list(.object(maintenanceWindow)),
                example: #"[ { weekdays: daily, start: "22:00", duration: 9h, timezone: Europe/Berlin } ]"#,
                synonyms: ["quiet", "mute_time_intervals", "do_not_disturb"],
                "When messages wait, except those that quiet_except lets through. What is over by then is not reported."
            ),
            Setting(
                "quiet_except",
                .choice([.init("critical"), .init("warning"), .init("none", synonyms: ["nothing"])]),
                defaultValue: "critical",
                "The lowest severity of messages that are sent during quiet_hours."
            ),
            Setting(
                "severity",
                .object(severityRules),
                example: "{ groups: { lab: info }, targets: { nas: critical } }",
                synonyms: ["severities"],
                "The severity of failures of some groups and targets. Default: down is critical, degraded and unreachable a warning."
            ),
            Setting(
                "refusals",
                \.retry.refusals,
                .integer(1...100),
                synonyms: ["max_tries", "retries", "max_retries"],
                "How many times a refused message (3xx, 4xx except 408, 425 and 429) is sent before it is discarded. All "
                    + "other failures are retried indefinitely."
            ),
            Setting(
                "max_backoff",
                \.retry.longestPause,
                .duration(milliseconds: 1_000...3_600_000),
                synonyms: ["max_interval", "backoff"],
                "The longest pause between attempts. The first pause is 1s, and each one is twice the previous."
            ),
            Setting(
                "when_cut_off",
                \.whenCutOff,
                .choice([.init("notify", synonyms: ["send", "alert"]), .init("wait", synonyms: ["hold", "defer"])]),
                synonyms: ["without_database", "on_partition"],
                "On a node of a fleet that could not reach the fleet's database for a minute: notify of the fleet's targets as this node "
                    + "sees them, or wait until the database is back. Without fleet it has no effect."
            ),
        ]

    /// `severity` of a receiver.
    package static let severityRules = ObjectSchema(
        "severities",
        fields: [
            Field(
                "targets",
                .labels,
                example: "{ nas: critical }",
                synonyms: ["target"],
                "The severity by the id of a target: info, warning or critical."
            ),
            Field(
                "groups",
                .labels,
                example: "{ lab: info }",
                synonyms: ["group"],
                "The severity by group, for targets without one of their own."
            ),
        ]
    )

    /// `webhook` of a receiver.
    package static let webhook = ObjectSchema(
        "a webhook",
        fields: requestFields(
            urlSummary: "The URL that messages are sent to. Its path and query may have {{FIELD}}, percent-encoded.",
            webhookKeys.fields(of: emptyWebhook)
        )
    )

    /// A webhook without a server.
    private static let emptyWebhook = WebhookSettings(request: .sample)

    /// The keys of a webhook alone, with the properties that they set.
    static let webhookKeys: [Setting<WebhookSettings>] = [
        Setting("method", .text(.line), example: "PUT", defaultValue: "POST", synonyms: ["verb"], "The HTTP method."),
        Setting(
            "content_type",
            \.contentType,
            .text(.line),
            example: "text/plain",
            synonyms: ["mime_type"],
            "The body's content type. For JSON, the inserted fields are escaped; for application/x-www-form-urlencoded, they "
                + "are percent-encoded."
        ),
        Setting(
            "body",
            .text(.script),
            example: #"'{"text": "{{text}}"}'"#,
            synonyms: ["template", "payload"],
            "The body, with {{FIELD}} as placeholders for fields of the message. Default: reachd's own JSON."
        ),
        Setting(
            "external_url",
            \.externalURL,
            .text(.script),
            example: "https://reachd.example.org",
            synonyms: ["link", "base_url"],
            "The URL at which users reach reachd's page, for {{link}}. Default: no link."
        ),
        Setting(
            "secret_file",
            \.secretFile,
            .text(.path),
            example: "/run/secrets/chat-hmac",
            synonyms: ["secret", "hmac_secret", "signing_key"],
            "File with the signing key as its only line, for the header Reachd-Signature: t=SECONDS,v1=HMAC-SHA256 of "
                + "SECONDS.BODY in hexadecimal digits. Default: none, not signed."
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
                "The Alertmanagers' base URLs, without /api/v2/alerts. List all members of a cluster."
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
            "How often firing alerts are sent again. An alert ends when it is not sent again for four times this long."
        ),
        Setting(
            "labels",
            \.labels,
            .labels,
            example: "{ site: berlin }",
            synonyms: ["external_labels"],
            "Labels to add to every alert."
        ),
        Setting(
            "external_url",
            \.externalURL,
            .text(.script),
            example: "https://reachd.example.org",
            synonyms: ["generator_url"],
            "The URL at which users reach reachd; generatorURL begins with it. Default: no generatorURL."
        ),
    ]

    /// The section of a messaging service in a receiver.
    static func schema(of service: MessagingService) -> ObjectSchema {
        let url = Field(
            "url",
            .text(.script),
            example: service.defaultURL == nil ? "https://chat.example.org/hooks/reachd" : nil,
            defaultValue: service.defaultURL,
            isRequired: !service.takesURLFile && service.defaultURL == nil,
            synonyms: ["uri", "server", "webhook_url", "homeserver"],
            service.takesURLFile ? "The webhook's URL. It is a secret: prefer url_file." : "The server's URL."
        )
        let urlFile = Field(
            "url_file",
            .text(.path),
            example: "/run/secrets/chat-webhook",
            synonyms: ["webhook_url_file", "api_url_file"],
            "File with the webhook's URL as its only line."
        )
        let region = Field(
            "region",
            .choice(service.regions.keys.sorted(by: >).map { .init($0) }),
            defaultValue: "us",
            synonyms: ["instance"],
            "The region of the account, instead of url."
        )
        let server = [url] + (service.takesURLFile ? [urlFile] : []) + (service.regions.isEmpty ? [] : [region])
        return ObjectSchema(
            "a receiver at \(service.name)",
            alternatives: service.takesURLFile ? [["url"], ["url_file"]] : [],
            fields: server + service.fields + [externalURL] + connectionFields
        )
    }

    /// `email` of a receiver.
    package static let email = ObjectSchema(
        "a receiver by mail",
        fields: [
            Field(
                "url",
                .text(.script),
                example: "smtp://mail.example.org",
                isRequired: true,
                synonyms: ["server", "smarthost", "smtp", "host"],
                "The mail server: smtp://HOST[:PORT] with STARTTLS, default port 587, or smtps://HOST[:PORT] with TLS from the "
                    + "start, default port 465."
            ),
            Field(
                "starttls",
                .boolean,
                defaultValue: "true",
                synonyms: ["require_tls", "start_tls"],
                "Whether the connection to smtp:// must change to TLS. With false it does not, and there is no user."
            ),
            Field(
                "from",
                .text(.line),
                example: "reachd@example.org",
                isRequired: true,
                synonyms: ["sender"],
                "The sender's address."
            ),
            Field(
                "to",
                .oneOrMore(.text(.line)),
                example: "[ ops@example.org ]",
                isRequired: true,
                synonyms: ["recipients", "receivers"],
                "The addresses that each message is sent to, in one mail. The server must accept all of them."
            ),
            Field(
                "user",
                .text(.line),
                example: "reachd@example.org",
                synonyms: ["username", "auth_username", "login"],
                "The user, with password_file. Default: none."
            ),
            Field(
                "password_file",
                .text(.path),
                example: "/run/secrets/mail",
                synonyms: ["password", "auth_password", "auth_password_file"],
                "File with the password as its only line."
            ),
            externalURL,
            tls,
            Field(
                "timeout",
                .duration(milliseconds: 100...300_000),
                defaultValue: "30s",
                "How long an attempt may take, including name resolution, until the mail is sent. The server then has ten minutes "
                    + "to reply."
            ),
        ]
    )

    private static let externalURL = Field(
        "external_url",
        .text(.script),
        example: "https://reachd.example.org",
        synonyms: ["link", "base_url"],
        "The URL at which users reach reachd's page, for a link in each message. Default: no link."
    )

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
            "Only changes to these states. Default: up, degraded, down and unreachable."
        ),
        Setting(
            "min_severity",
            \.minimumSeverity,
            .choice([
                .init("info", synonyms: ["information"]), .init("warning", synonyms: ["warn"]),
                .init("critical", synonyms: ["crit", "error"]),
            ]),
            synonyms: ["severity", "minimum_severity", "level"],
            "Only changes of at least this severity: to or from down is critical, to or from degraded and unreachable "
                + "a warning."
        ),
    ]

    private static let targetState = FieldType.choice([
        .init("unknown"), .init("up", synonyms: ["ok", "healthy"]), .init("degraded", synonyms: ["warning"]),
        .init("down", synonyms: ["failed", "critical"]), .init("unreachable"), .init("paused"), .init("maintenance"),
    ])

    /// The keys that webhooks and Alertmanagers share.
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
                "Headers to send."
            ),
            Field(
                "header_files",
                .labels,
                example: "{ X-Api-Key: /run/secrets/chat-key }",
                synonyms: ["secret_headers"],
                "Headers with secret values: each is a header's name and the file with its value as the only line. "
                    + "Read for each request."
            ),
            Field(
                "auth",
                .object(HTTPCredentials.schema),
                example: "{ token_file: /run/secrets/chat-token }",
                synonyms: ["basic_auth", "bearer_token", "authorization"],
                "The credentials for the server."
            ),
        ] + connectionFields
    }

    private static let tls = Field(
        "tls",
        .object(TLSSettings.schema),
        example: "{ ca_file: /etc/ssl/certs/internal.pem }",
        synonyms: ["tls_config", "ssl"],
        "TLS settings, as for probes."
    )

    /// The keys of every receiver.
    private static var connectionFields: [Field] {
        [
            Field(
                "proxy",
                .object(HTTPProxy.schema),
                example: "{ host: proxy.example.org, port: 3128 }",
                synonyms: ["proxy_url", "http_proxy"],
                "The proxy to connect through."
            ),
            tls,
            Field(
                "timeout",
                .duration(milliseconds: 100...300_000),
                defaultValue: "10s",
                "How long an attempt may take, including name resolution."
            ),
        ]
    }
}

extension TargetState: SettingValue {}
extension Severity: SettingValue {}
extension ReceiverSettings.CutOffBehaviour: SettingValue {}
