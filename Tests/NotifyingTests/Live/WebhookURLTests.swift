// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import Probing
import TestSupport
import Testing

@testable import Notifying

@Suite("The URL of a webhook from a template, at a server", .timeLimit(.minutes(15))) struct WebhookURLTests {
    private func send(group: String?, path: String, to server: HookServer) throws -> SendOutcome {
        let url = "http://127.0.0.1:\(server.port)"
        var settings = WebhookSettings(request: HTTPProbeSettings(url: try HTTPURL("\(url)/sample"), method: "POST"))
        settings.urlTemplate = try URLTemplate(url + path)
        let channel = ReceiverSettings.Channel.webhook(settings)
        let message = Message(.sample(7, "db", group: group))
        return try channel.send(message)
    }

    @Test("A group that a client sets stays one part of the path")
    func oneStep() throws {
        for (group, target) in [
            ("core", "/v1/core/events"), ("../../admin", "/v1/..%2F..%2Fadmin/events"), ("...", "/v1/.../events"),
            ("%2e%2e", "/v1/%252e%252e/events"), ("a?b#c", "/v1/a%3Fb%23c/events"),
        ] {
            let server = try HookServer()
            let outcome = try send(group: group, path: "/v1/{{target.group}}/events", to: server)
            #expect(outcome == .accepted(status: 200))
            #expect(server.requests.events.map(\.target) == [target])
        }
    }

    @Test("A field that would remove a part of the path is a refusal, and the server gets nothing at any URL")
    func dots() throws {
        for (group, path) in [
            ("..", "/v1/{{target.group}}/events"), (".", "/v1/{{target.group}}/events"), ("..", "/v1/{{target.group}}"),
            (".", "/v1/{{target.group}}{{target.group}}/events"),
        ] {
            let server = try HookServer()
            let outcome = try send(group: group, path: path, to: server)
            guard case .refused(let failure) = outcome else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(failure.code == "invalid_request" && server.requests.count == 0)
        }
    }

    @Test("Webhooks, services and a mail server at a link-local address are asked through the interface in the URL")
    func interface() throws {
        let text = "http://[fe80::1%25nosuch0]/"
        let request = HTTPProbeSettings(url: try HTTPURL(text), method: "POST")
        let webhook = WebhookSettings(request: request)
        var templated = webhook
        templated.urlTemplate = try URLTemplate(text + "{{target.group}}")
        let service = ServiceSettings(service: "slack", request: request)
        let mail = MailSettings(server: try MailServer("smtp://[fe80::1%25nosuch0]"), from: "a@b", to: ["c@d"])
        for channel in [
            ReceiverSettings.Channel.webhook(webhook), .webhook(templated), .service(service), .email(mail),
        ] {
            guard case .failed(let failure, _) = try channel.send(Message(.sample(7, "db"))) else {
                Issue.record("\(channel)")
                continue
            }
            #expect(failure.code == "interface_not_found")
        }
    }
}
