// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The keys of Gatus' alert providers, as channels of receivers.
///
/// Secrets are not written: reachd reads them from files, and a note names each file and the key whose value belongs there. The URL
/// and the body of a custom request are written as they are, with a note.
struct GatusProvider {
    /// The channel's key and its keys.
    private(set) var channel: (name: String, keys: [(String, YAMLText)])?
    /// Where secrets go, and what they are.
    private(set) var secrets: [(file: String, key: String)] = []
    /// What the channel cannot express, in words.
    private(set) var losses: [String] = []

    private let name: String
    private let type: String
    private var keys: [(String, YAMLText)] = []

    /// Reads a provider; without a channel if reachd has no such service.
    ///
    /// - Parameter name: The receiver's, for the names of files.
    init(_ type: String, _ provider: inout ForeignMapping, name: String, _ variables: inout GatusVariables) {
        (self.type, self.name) = (type, name)
        switch type {
        case "discord", "slack", "teams", "teams-workflows": hook(&provider)
        case "mattermost":
            hook(&provider)
            copy("channel", as: "channel", &provider, &variables)
        case "telegram":
            secret("token", as: "token_file", &provider)
            copy("id", as: "chat_id", &provider, &variables)
            copy("topic-id", as: "thread_id", &provider, &variables)
            copy("api-url", as: "url", &provider, &variables)
        case "ntfy":
            copy("url", as: "url", &provider, &variables)
            copy("topic", as: "topic", &provider, &variables)
            secret("token", as: "token_file", &provider)
        case "pushover":
            secret("application-token", as: "token_file", &provider)
            secret("user-key", as: "user_file", &provider)
            copy("device", as: "device", &provider, &variables)
        case "pagerduty": secret("integration-key", as: "routing_key_file", &provider)
        case "opsgenie": secret("api-key", as: "api_key_file", &provider)
        case "matrix":
            copy("server-url", as: "url", &provider, &variables, default: "https://matrix-client.matrix.org")
            copy("internal-room-id", as: "room", &provider, &variables)
            secret("access-token", as: "token_file", &provider)
        case "gotify":
            copy("server-url", as: "url", &provider, &variables)
            secret("token", as: "token_file", &provider)
        case "email": email(&provider, &variables)
        case "custom": custom(&provider, &variables)
        default: return
        }
        client(&provider)
        let service = ["teams-workflows": "teams", "custom": "webhook"][type] ?? type
        if type == "teams" {
            losses.append("the URL must be the webhook of a workflow; those of connectors are no longer served")
        }
        channel = (service, keys)
    }

    // MARK: Keys

    private mutating func copy(
        _ key: String,
        as ours: String,
        _ provider: inout ForeignMapping,
        _ variables: inout GatusVariables,
        default standard: String? = nil
    ) {
        guard let text = provider.text(key) ?? standard, !text.isEmpty else { return }
        keys.append((ours, .template(variables.template(text))))
    }

    private mutating func secret(_ key: String, as ours: String, _ provider: inout ForeignMapping) {
        guard let node = provider.take(key), node.text?.isEmpty == false else { return }
        let file = "/run/secrets/\(name)-\(key)"
        keys.append((ours, .text(file)))
        secrets.append((file, "alerting.\(type).\(key)"))
    }

    private mutating func hook(_ provider: inout ForeignMapping) { secret("webhook-url", as: "url_file", &provider) }

    private mutating func email(_ provider: inout ForeignMapping, _ variables: inout GatusVariables) {
        let port = provider.text("port") ?? "587"
        if let host = provider.text("host") {
            keys.append(("url", .template(variables.template("\(port == "465" ? "smtps" : "smtp")://\(host):\(port)"))))
        }
        let from = provider.text("from")
        if let from { keys.append(("from", .template(variables.template(from)))) }
        let to = (provider.text("to") ?? "").split { ", ".contains($0) }.map(String.init)
        if !to.isEmpty { keys.append(("to", .list(to.map { .template(variables.template($0)) }))) }
        let user = provider.text("username").flatMap { $0.isEmpty ? nil : $0 } ?? from
        let before = secrets.count
        secret("password", as: "password_file", &provider)
        if let user, secrets.count > before { keys.append(("user", .template(variables.template(user)))) }
        losses.append("STARTTLS is required on ports other than 465")
    }

    private mutating func client(_ provider: inout ForeignMapping) {
        guard var client = provider.mapping("client") else { return }
        if client.boolean("insecure") == true {
            keys.append(("tls", .mapping([("insecure_skip_verify", .word("true"))])))
        }
        if let timeout = client.text("timeout").flatMap(GoDuration.text) { keys.append(("timeout", timeout)) }
    }

    // MARK: Custom requests

    private mutating func custom(_ provider: inout ForeignMapping, _ variables: inout GatusVariables) {
        var words = ["TRIGGERED": "TRIGGERED", "RESOLVED": "RESOLVED"]
        var placeholders = provider.mapping("placeholders")
        for (key, text) in placeholders?.labels("ALERT_TRIGGERED_OR_RESOLVED") ?? [] { words[key] = text }
        if let url = provider.text("url") {
            keys.append(("url", .template(variables.template(template(url, words)))))
        }
        keys.append(("method", .text(provider.text("method") ?? "GET")))
        var type: String?
        var headers: [(String, YAMLText)] = []
        var files: [(String, YAMLText)] = []
        for (header, value) in provider.labels("headers") {
            if header.lowercased() == "content-type" {
                type = value
            } else if RequestSecrets.mayBeSecret(header: header) {
                let file = "/run/secrets/\(name)-\(header.lowercased())"
                files.append((header, .text(file)))
                secrets.append((file, "alerting.custom.headers.\(header)"))
            } else {
                headers.append((header, .template(variables.template(value))))
            }
        }
        losses.append("url and body are written as they are; check whether they contain a secret")
        let body = provider.text("body") ?? ""
        let looksLikeJSON = ["{", "["].contains(body.first { !$0.isWhitespace })
        keys.append(("content_type", .text(type ?? (looksLikeJSON ? "application/json" : "text/plain"))))
        keys.append(("body", .template(variables.template(template(body, words)))))
        if !headers.isEmpty { keys.append(("headers", .mapping(headers))) }
        if !files.isEmpty { keys.append(("header_files", .mapping(files))) }
    }

    /// A text with reachd's fields in place of Gatus' placeholders.
    private mutating func template(_ text: String, _ words: [String: String]) -> String {
        let status = "{{status|firing=\(words["TRIGGERED"] ?? ""),resolved=\(words["RESOLVED"] ?? "")}}"
        let fields = [
            ("[ALERT_DESCRIPTION]", "{{text}}"), ("[ENDPOINT_NAME]", "{{target.name}}"),
            ("[ENDPOINT_GROUP]", "{{target.group}}"), ("[RESULT_ERRORS]", "{{reason.detail}}"),
            ("[ALERT_TRIGGERED_OR_RESOLVED]", status),
        ]
        var result = text.replacing("{{", by: "{{open}}")
        for (placeholder, field) in fields { result = result.replacing(placeholder, by: field) }
        for lost in ["[ENDPOINT_URL]", "[RESULT_CONDITIONS]"] where result.contains(lost) {
            result = result.replacing(lost, by: "")
            losses.append("\(lost) is left out: messages have no such field")
        }
        return result
    }
}

extension String {
    /// With each occurrence of a text replaced by another.
    fileprivate func replacing(_ text: String, by other: String) -> String {
        split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
    }
}
