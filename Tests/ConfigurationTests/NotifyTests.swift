// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Notifying
import Probing
import Schema
import TestSupport
import Testing

@testable import Configuration

@Suite struct NotifyTests {
    @Test("a webhook with everything that it can have")
    func webhook() throws {
        let configuration = try load(
            """
            notify:
              - name: ops
                webhook:
                  url: https://hooks.example.org/${TOKEN}?x=1
                  method: PUT
                  headers: { X-Team: web }
                  header_files: { Authorization: /run/secrets/hook }
                  auth: { user: reachd, password_file: /run/secrets/password }
                  proxy: { host: proxy.example.org, port: 3128 }
                  tls: { ca_file: /etc/ssl/internal.pem, server_name: hooks.internal.example }
                  timeout: 3s
                  content_type: application/json; charset=utf-8
                  body: '{"text": "{{text}}"}'
                  secret_file: /run/secrets/key
                filter:
                  targets: [a, b]
                  groups: edge
                  tags: { team: web }
                  from: up
                  to: [down, unreachable]
                  min_severity: warning
                group_wait: 30s
                max_per_target: 2
                rate_window: 1h
                refusals: 9
                max_backoff: 1m
                when_cut_off: wait
            """,
            environment: ["TOKEN": "abc"]
        )
        let receiver = try #require(configuration.receivers.first)
        guard case .webhook(let webhook) = receiver.channel else {
            Issue.record("no webhook")
            return
        }
        #expect(receiver.name == "ops" && configuration.receivers.count == 1)
        #expect(webhook.request.url.description == "https://hooks.example.org/abc?x=1")
        #expect(
            webhook.request.method == "PUT" && webhook.request.headers == [HTTPHeader(name: "X-Team", value: "web")]
        )
        #expect(webhook.headerFiles == ["Authorization": "/run/secrets/hook"])
        #expect(webhook.request.credentials == .basic(user: "reachd", passwordFile: "/run/secrets/password"))
        #expect(webhook.request.proxy?.port == 3128)
        #expect(webhook.request.tls.authorityFile == "/etc/ssl/internal.pem")
        #expect(webhook.request.tls.serverName == "hooks.internal.example")
        #expect(webhook.timeout == .seconds(3) && webhook.secretFile == "/run/secrets/key")
        #expect(webhook.template == (try MessageTemplate(#"{"text": "{{text}}"}"#, form: .json)))
        #expect(receiver.filter.targets == ["a", "b"] && receiver.filter.groups == ["edge"])
        #expect(receiver.filter.tags == ["team": "web"] && receiver.filter.from == [.up])
        #expect(receiver.filter.to == [.down, .unreachable] && receiver.filter.minimumSeverity == .warning)
        #expect(receiver.pace.groupWait == .seconds(30) && receiver.pace.perTarget == 2)
        #expect(receiver.pace.window == .seconds(3600))
        #expect(receiver.retry.refusals == 9 && receiver.retry.longestPause == .seconds(60))
        #expect(receiver.whenCutOff == .wait)
    }

    @Test("the defaults")
    func defaults() throws {
        let receiver = try #require(
            try load("notify: [{name: a, webhook: {url: 'http://h/'}}]").receivers.first
        )
        guard case .webhook(let webhook) = receiver.channel else {
            Issue.record("no webhook")
            return
        }
        #expect(webhook.request.method == "POST" && webhook.template == nil && webhook.secretFile == nil)
        #expect(webhook.timeout == .seconds(10) && webhook.contentType == "application/json")
        #expect(receiver.filter == NotificationFilter() && receiver.pace == MessageRate())
        #expect(receiver.retry == RetrySettings())
        #expect(try load("").receivers.isEmpty)
    }

    @Test("each Alertmanager is a receiver of its own")
    func alertmanagers() throws {
        let receivers = try load(
            """
            notify:
              - name: am
                alertmanager:
                  urls: ["http://am1:9093", "https://am2/prefix/"]
                  resend_interval: 30s
                  labels: { site: berlin }
                  external_url: https://reachd.example.org
              - name: one
                alertmanager: { urls: "http://am3:9093/api/v2/alerts" }
            """
        ).receivers
        #expect(receivers.map(\.name) == ["am/am1:9093", "am/am2", "one"])
        let urls = receivers.compactMap { receiver -> String? in
            guard case .alertmanager(let settings) = receiver.channel else { return nil }
            return settings.request.url.description
        }
        #expect(
            urls == [
                "http://am1:9093/api/v2/alerts", "https://am2/prefix/api/v2/alerts", "http://am3:9093/api/v2/alerts",
            ]
        )
        guard case .alertmanager(let first) = receivers[0].channel else {
            Issue.record("no Alertmanager")
            return
        }
        #expect(first.resendInterval == .seconds(30) && first.labels == ["site": "berlin"])
        #expect(first.externalURL == "https://reachd.example.org" && first.request.method == "POST")
    }

    @Test("each messaging service with the keys of its example", arguments: MessagingService.all.map(\.name))
    func services(_ name: String) throws {
        let service = try #require(MessagingService.named(name))
        let configuration = try load("notify: [{name: a, \(name): \(service.example)}]")
        guard case .service(let settings) = configuration.receivers.first?.channel else {
            Issue.record("no service")
            return
        }
        #expect(settings.service == name && settings.timeout == .seconds(10) && settings.externalURL == nil)
        #expect(settings.urlFile == (service.takesURLFile ? "/run/secrets/\(name)-webhook" : nil))
        #expect(service.fields.allSatisfy { !$0.isRequired || settings.texts[$0.name] != nil })
        if let url = service.defaultURL { #expect(settings.request.url == (try HTTPURL(url))) }
    }

    @Test("a messaging service has its own server, proxy and link")
    func ownServer() throws {
        let configuration = try load(
            """
            notify:
              - name: phone
                ntfy:
                  url: http://ntfy.internal.example:8080/push
                  topic: alerts
                  external_url: https://reachd.example.org
                  proxy: { host: proxy.example.org, port: 3128 }
                  tls: { ca_file: /etc/ssl/internal.pem }
                  timeout: 3s
                group_wait: 30s
            """
        )
        let receiver = try #require(configuration.receivers.first)
        guard case .service(let settings) = receiver.channel else {
            Issue.record("no service")
            return
        }
        #expect(receiver.pace.groupWait == .seconds(30) && receiver.channel.name == "ntfy")
        #expect(settings.request.url.description == "http://ntfy.internal.example:8080/push")
        #expect(settings.request.proxy?.port == 3128 && settings.timeout == .seconds(3))
        #expect(settings.texts == ["topic": "alerts"] && settings.externalURL == "https://reachd.example.org")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let diagnostics: [String]
        var testDescription: String { text }
    }

    @Test(
        "faults have places, words and hints",
        arguments: [
            Case(
                text: "notify: [{name: a}]",
                diagnostics: [
                    "reachd.yaml:1:10: a receiver needs a channel; write one of webhook, alertmanager, ntfy, telegram, discord, slack, mattermost, teams, matrix, pushover, gotify, pagerduty, opsgenie, email [missing_key]"
                ]
            ),
            Case(
                text: "notify: [{name: a, webhook: {url: 'http://h/'}, alertmanager: {urls: 'http://h'}}]",
                diagnostics: [
                    "reachd.yaml:1:10: a receiver has one channel, not webhook and alertmanager; write one of webhook, alertmanager, ntfy, telegram, discord, slack, mattermost, teams, matrix, pushover, gotify, pagerduty, opsgenie, email [conflict]"
                ]
            ),
            Case(
                text: "notify: [{name: a, slack: {}}]",
                diagnostics: ["reachd.yaml:1:27: slack needs either url or url_file [missing_key]"]
            ),
            Case(
                text: "notify: [{name: a, discord: {url: 'https://h/', url_file: /a}}]",
                diagnostics: ["reachd.yaml:1:29: discord needs either url or url_file [conflict]"]
            ),
            Case(
                text: "notify: [{name: a, ntfy: {url: 'ftp://h/SECRET', topic: b, token: c}}]",
                diagnostics: [
                    "reachd.yaml:1:32: no URL can be made of it: the scheme is not http or https [invalid_value]",
                    "reachd.yaml:1:60: 'token' is not a key of a receiver at ntfy; did you mean token_file? [unknown_key]",
                ]
            ),
            Case(
                text: "notify: [{name: a, telegram: {token_file: /t}}]",
                diagnostics: ["reachd.yaml:1:30: a receiver at telegram needs the key chat_id [missing_key]"]
            ),
            Case(
                text: "notify: [{name: a, opsgenie: {api_key_file: /k, region: eu, url: 'https://h'}}]",
                diagnostics: ["reachd.yaml:1:57: opsgenie takes either url or region [conflict]"]
            ),
            Case(
                text: "notify: [{name: a, email: {url: 'smtp://h', from: 'Ops <a@b>', to: [], user: u}}]",
                diagnostics: [
                    "reachd.yaml:1:51: 'Ops <a@b>' is not a mail address; write user@example.org, without a name [invalid_value]",
                    "reachd.yaml:1:68: the list is empty [invalid_value]",
                    "reachd.yaml:1:78: user and password_file need each other [invalid_value]",
                ]
            ),
            Case(
                text:
                    "notify: [{name: a, email: {url: 'smtp://h', starttls: false, from: a@b, to: c@d, user: u, password_file: /p}}]",
                diagnostics: ["reachd.yaml:1:88: the password would be sent without TLS [invalid_value]"]
            ),
            Case(
                text: "notify: [{name: a, email: {url: 'http://h', from: a@b, to: c@d}}]",
                diagnostics: [
                    "reachd.yaml:1:33: this is not the URL of a mail server: write smtp://mail.example.org:587 or smtps://mail.example.org:465 [invalid_value]"
                ]
            ),
            Case(
                text: "notify: [{name: a, webhook: {url: 'http://{{target.id}}/'}}]",
                diagnostics: [
                    "reachd.yaml:1:35: a {{ is in front of the path, or behind a #; the server cannot depend on a message [invalid_value]"
                ]
            ),
            Case(
                text: "notify: [{name: a, webhook: {url: 'ftp://h/SECRET'}}]",
                diagnostics: [
                    "reachd.yaml:1:35: no URL can be made of it: the scheme is not http or https [invalid_value]"
                ]
            ),
            Case(
                text: "notify: [{name: a, webhook: {url: 'http://h/', body: '{\"a\": \"{{idd}}\"}'}}]",
                diagnostics: [
                    "reachd.yaml:1:54: there is no field idd; fields are at, cause, count, duration, from, id, incident.failing, incident.id, incident.key, incident.phase, incident.since, incident.title, incident.total, link, message, open, reason.code, reason.detail, reason.offender.address, reason.trace.last_hop.address, reason.trace.next_hop.address, seen_from, severity, status, target.group, target.id, target.name, target.tags, targets, text, to, type and target.tags.NAME [invalid_value]"
                ]
            ),
            Case(
                text: "notify: [{name: a, webhook: {url: 'http://h/', header_files: {Authorization: t0ken}}}]",
                diagnostics: [
                    "reachd.yaml:1:62: the value of 'Authorization' is not a path from the root; write the path of the file that contains the value [invalid_value]"
                ]
            ),
            Case(
                text: "notify: [{name: a, webhook: {url: 'http://h/'}}, {name: a, webhook: {url: 'http://h/'}}]",
                diagnostics: [
                    "reachd.yaml:1:57: 'a' occurs twice; a receiver's position in the log is stored under its name [duplicate_value]"
                ]
            ),
            Case(
                text: "notify: [{name: a, filter: {to: [dwn]}, webhook: {url: 'http://h/', tls: {key_file: /k}}}]",
                diagnostics: [
                    "reachd.yaml:1:34: 'dwn' is not one of unknown, up, degraded, down, unreachable, paused or maintenance; did you mean down? [invalid_value]",
                    "reachd.yaml:1:85: key_file without cert_file; write cert_file [missing_key]",
                ]
            ),
            Case(
                text: "notify: [{name: a, alertmanager: {urls: ['http://h', 'http://h/'], labels: {severity: x}}}]",
                diagnostics: [
                    "reachd.yaml:1:54: its server occurs twice [duplicate_value]",
                    "reachd.yaml:1:76: 'severity' is not a label name; use letters, digits and _, not a digit first; alertname, target, group, severity and cause are reserved [invalid_value]",
                ]
            ),
        ]
    )
    func faulty(_ given: Case) {
        #expect(diagnostics(given.text) == given.diagnostics)
    }

    @Test("email has a server, addresses, and a password only with TLS")
    func email() throws {
        let configuration = try load(
            """
            notify:
              - name: full
                email:
                  url: smtps://mail.example.org
                  from: reachd@example.org
                  to: [ ops@example.org, anna@example.net ]
                  user: reachd
                  password_file: /run/secrets/mail
                  tls: { ca_file: /etc/ssl/internal.pem, server_name: mail.internal.example }
                  timeout: 5s
                  external_url: https://reachd.example.org
              - name: least
                email: { url: "smtp://localhost:25", starttls: false, from: a@b, to: c@d }
            """
        )
        let settings = configuration.receivers.compactMap { receiver -> MailSettings? in
            if case .email(let settings) = receiver.channel { settings } else { nil }
        }
        try #require(settings.count == 2)
        #expect(settings[0].server.host == "mail.example.org" && settings[0].server.port == 465)
        #expect(settings[0].server.security == .tls && settings[0].server.login?.user == "reachd")
        #expect(settings[0].server.login?.passwordFile == "/run/secrets/mail")
        #expect(settings[0].server.tls.authorityFile == "/etc/ssl/internal.pem")
        #expect(settings[0].server.tls.serverName == "mail.internal.example")
        #expect(settings[0].from == "reachd@example.org" && settings[0].to == ["ops@example.org", "anna@example.net"])
        #expect(settings[0].timeout == .seconds(5) && settings[0].externalURL == "https://reachd.example.org")
        #expect(settings[1].server.port == 25 && settings[1].server.security == .none && settings[1].to == ["c@d"])
        #expect(settings[1].timeout == .seconds(30) && configuration.receivers[1].channel.name == "email")
    }

    @Test("a region chooses the server of a service")
    func region() throws {
        let receivers = try load(
            """
            notify:
              - { name: a, opsgenie: { api_key_file: /k, region: eu } }
              - { name: b, opsgenie: { api_key_file: /k } }
              - { name: c, pagerduty: { routing_key_file: /k, region: eu } }
              - { name: d, pagerduty: { routing_key_file: /k, url: "https://events.example.org" } }
            """
        ).receivers
        let hosts = receivers.compactMap { receiver -> String? in
            if case .service(let settings) = receiver.channel { settings.request.url.host } else { nil }
        }
        #expect(hosts == ["api.eu.opsgenie.com", "api.opsgenie.com", "events.eu.pagerduty.com", "events.example.org"])
    }

    @Test("fields in the URL of a webhook, and a form as its body")
    func urlTemplate() throws {
        let receiver = try #require(
            try load(
                """
                notify:
                  - name: a
                    webhook:
                      url: "https://h/{{target.id}}?s={{status|firing=down,resolved=up,info=up}}"
                      content_type: application/x-www-form-urlencoded
                      body: "text={{text}}"
                      external_url: https://reachd.example.org
                """
            ).receivers.first
        )
        guard case .webhook(let webhook) = receiver.channel else {
            Issue.record("no webhook")
            return
        }
        #expect(webhook.request.url.host == "h" && webhook.externalURL == "https://reachd.example.org")
        #expect(
            webhook.urlTemplate
                == (try URLTemplate("https://h/{{target.id}}?s={{status|firing=down,resolved=up,info=up}}"))
        )
        #expect(webhook.template == (try MessageTemplate("text={{text}}", form: .form)))
    }

    @Test("pointers lead to the error")
    func pointers() {
        let text = """
            notify:
              - name: a
                webhook: {url: "http://h/", headers: {"a b": c}, tls: {pins: sha256/x}, body: "{{id"}
            """
        #expect(
            faultValues(text).map(\.pointer).sorted() == [
                "/notify/0/webhook/body", "/notify/0/webhook/headers", "/notify/0/webhook/tls/pins",
            ] || faultValues(text).allSatisfy { $0.pointer.hasPrefix("/notify/0/webhook/") }
        )
        #expect(faultValues(text).count >= 3)
    }

    @Test("a change is a change of the setting notify, which needs no restart")
    func difference() throws {
        let old = try load("notify: [{name: a, webhook: {url: 'http://h/'}}]")
        let new = try load("notify: [{name: a, webhook: {url: 'http://h/x'}}]")
        let difference = ConfigurationDifference(from: old, to: new)
        #expect(difference.settings.map(\.key) == ["notify"] && difference.needsRestart.isEmpty)
    }
}
