// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The configuration of one of Uptime Kuma's notifications, as a channel of a receiver.
///
/// Secrets are not written: reachd reads them from files, and a note names each file and the member whose value belongs there.
struct KumaProvider {
    /// The channel's key and its keys.
    private(set) var channel: (name: String, keys: [(String, YAMLText)])?
    /// Where secrets go, and what they are.
    private(set) var secrets: [(file: String, key: String)] = []
    /// What the channel does otherwise, in words.
    private(set) var losses: [String] = []

    private let name: String
    private let config: KumaRow
    private var keys: [(String, YAMLText)] = []
    /// The members that were used, or mean nothing.
    private var used: Set<String> = ["type", "name", "is_default", "apply_existing", "id", "active", "user_id", "lang"]

    /// Reads a configuration; without a channel if reachd has no such service.
    ///
    /// - Parameter name: The receiver's, for the names of files.
    init(_ type: String, _ config: KumaRow, name: String) {
        (self.name, self.config) = (name, config)
        let service = type.lowercased()
        switch service {
        case "discord":
            secret("discord_webhook_url", as: "url_file")
            copy("discord_username", as: "username")
        case "slack": secret("slackwebhook_url", as: "url_file")
        case "mattermost":
            secret("mattermost_webhook_url", as: "url_file")
            copy("mattermostchannel", as: "channel")
            copy("mattermostusername", as: "username")
        case "teams":
            secret("webhook_url", as: "url_file")
            losses.append("the URL must be the webhook of a workflow; those of connectors are no longer served")
        case "telegram":
            secret("telegram_bot_token", as: "token_file")
            copy("telegram_chat_id", as: "chat_id")
            copy("telegram_message_thread_id", as: "thread_id")
            copy("telegram_server_url", as: "url", unless: "https://api.telegram.org")
        case "ntfy": ntfy()
        case "gotify":
            copy("gotifyserverurl", as: "url")
            secret("gotifyapplication_token", as: "token_file")
        case "pushover":
            secret("pushoverapptoken", as: "token_file")
            secret("pushoveruserkey", as: "user_file")
            copy("pushoverdevice", as: "device")
        case "pagerduty":
            secret("pagerduty_integration_key", as: "routing_key_file")
            if config.text("pagerduty_integration_url")?.contains(".eu.") == true {
                keys.append(("region", .word("eu")))
            }
            used.insert("pagerduty_integration_url")
        case "opsgenie":
            secret("opsgenie_api_key", as: "api_key_file")
            copy("opsgenie_region", as: "region", unless: "us")
        case "matrix":
            copy("homeserver_url", as: "url")
            copy("internal_room_id", as: "room")
            secret("access_token", as: "token_file")
        case "smtp": mail()
        case "webhook": webhook()
        default: return
        }
        // A notification keeps members of types that it had before.
        let own = [
            "discord": ["disable_url", "post_name", "thread"], "smtp": ["custom", "html"], "webhook": ["http"],
        ]
        let prefixes = (own[service] ?? []) + [service]
        let rest = config.columns.subtracting(used).filter { member in
            prefixes.contains(where: member.hasPrefix)
                && !["false", "0", "[]", "{}"].contains(config.text(member) ?? "[]")
        }
        if !rest.isEmpty {
            losses.append("settings are not carried over: \(rest.sorted().joined(separator: ", "))")
        }
        channel = (["smtp": "email"][service] ?? service, keys)
    }

    // MARK: Members

    private mutating func copy(_ member: String, as key: String, unless standard: String? = nil) {
        used.insert(member)
        guard let text = config.text(member), text != standard else { return }
        keys.append((key, .text(text)))
    }

    private mutating func secret(_ member: String, as key: String) {
        used.insert(member)
        guard config.text(member) != nil else { return }
        let file = "/run/secrets/\(name)-\(member.split(separator: "_").joined(separator: "-"))"
        keys.append((key, .text(file)))
        secrets.append((file, member))
    }

    private mutating func ntfy() {
        copy("ntfyserverurl", as: "url")
        copy("ntfytopic", as: "topic")
        used.insert("ntfy_authentication_method")
        switch config.text("ntfy_authentication_method") {
        case "accessToken": secret("ntfyaccesstoken", as: "token_file")
        case "usernamePassword":
            used.formUnion(["ntfyusername", "ntfypassword"])
            losses.append("ntfy needs a token_file, because reachd has no user and password there")
        default: used.formUnion(["ntfyusername", "ntfypassword", "ntfyaccesstoken"])
        }
    }

    private mutating func mail() {
        used.formUnion(["smtp_host", "smtp_port", "smtp_secure", "smtp_from", "smtp_to", "smtp_username"])
        let isSecure = config.flag("smtp_secure")
        let port = config.integer("smtp_port").map { ":\($0)" } ?? ""
        keys.append(("url", .text("\(isSecure ? "smtps" : "smtp")://\(config.text("smtp_host") ?? "")\(port)")))
        if let from = config.text("smtp_from") { keys.append(("from", .text(address(from)))) }
        used.formUnion(["smtp_cc", "smtp_bcc"])
        let members = ["smtp_to", "smtp_cc", "smtp_bcc"].compactMap { config.text($0) }
        let to = members.flatMap { $0.split(separator: ",") }.map { address($0.trimmed) }.filter { !$0.isEmpty }
        if !to.isEmpty { keys.append(("to", .list(to.map { .text($0) }))) }
        if members.count > 1 { losses.append("copies are sent to all addresses alike") }
        let ignoresTLS = !isSecure && config.flag("smtp_ignore_starttls")
        used.formUnion(["smtp_ignore_starttls", "smtp_ignore_tlserror"])
        if ignoresTLS {
            keys.append(("starttls", .word("false")))
            if config.text("smtp_username") != nil { losses.append("without TLS there is no user and password") }
            used.insert("smtp_password")
        } else {
            if config.flag("smtp_ignore_tlserror") {
                keys.append(("tls", .mapping([("insecure_skip_verify", .word("true"))])))
            }
            if let user = config.text("smtp_username") {
                keys.append(("user", .text(user)))
                secret("smtp_password", as: "password_file")
            }
            if !isSecure { losses.append("STARTTLS is required") }
        }
    }

    /// The address of `Name <address>`.
    private func address(_ text: String) -> String {
        guard let start = text.lastIndex(of: "<"), let end = text[start...].firstIndex(of: ">") else { return text }
        return String(text[text.index(after: start)..<end])
    }

    private mutating func webhook() {
        copy("webhook_url", as: "url")
        losses.append("its URL is written as it is; check whether it contains a secret")
        used.insert("http_method")
        if let method = config.text("http_method")?.uppercased(), method != "POST" {
            keys.append(("method", .text(method)))
        }
        used.formUnion(["webhook_content_type", "webhook_custom_body", "webhook_additional_headers"])
        if config.text("webhook_content_type") == "custom" {
            losses.append("its body is reachd's own, and not the template; see body")
        } else {
            losses.append("its body is reachd's own, and not Uptime Kuma's")
        }
        var headers: [(String, YAMLText)] = []
        var files: [(String, YAMLText)] = []
        if case .mapping(let pairs)? = config.json("webhook_additional_headers")?.content {
            for pair in pairs {
                guard let header = pair.key.text, let value = pair.value.text else { continue }
                if header.lowercased() == "content-type" {
                    keys.append(("content_type", .text(value)))
                } else if RequestSecrets.mayBeSecret(header: header) {
                    let file = "/run/secrets/\(name)-\(header.lowercased())"
                    files.append((header, .text(file)))
                    secrets.append((file, "webhook_additional_headers.\(header)"))
                } else {
                    headers.append((header, .text(value)))
                }
            }
        }
        if !headers.isEmpty { keys.append(("headers", .mapping(headers))) }
        if !files.isEmpty { keys.append(("header_files", .mapping(files))) }
    }
}
