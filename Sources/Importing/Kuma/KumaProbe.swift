// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Configuration
import Schema

/// Converts the type of a monitor and its settings to a probe.
enum KumaProbe {
    /// The columns that this import knows: they are carried over, noted, of another type, or a state.
    static let columns: Set<String> = [
        "accepted_statuscodes", "accepted_statuscodes_json", "active", "auth_domain", "auth_method",
        "auth_workstation", "basic_auth_pass", "basic_auth_user", "bearer_token", "body", "cache_bust", "children_ids",
        "conditions", "created_date", "database_connection_string", "database_query", "description", "dns_last_result",
        "dns_resolve_server", "dns_resolve_type", "docker_container", "docker_host", "domain_expiry_notification",
        "expected_tls_alert", "expected_value", "expiry_notification", "force_inactive", "game",
        "gamedig_given_port_only", "gamedig_token", "grpc_body", "grpc_enable_tls", "grpc_metadata", "grpc_method",
        "grpc_protobuf", "grpc_service_name", "grpc_url", "headers", "hostname", "http_body_encoding", "id",
        "ignore_tls", "include_sensitive_data", "interval", "invert_keyword", "ip_family", "json_path",
        "json_path_operator", "kafka_producer_allow_auto_topic_creation", "kafka_producer_brokers",
        "kafka_producer_message", "kafka_producer_sasl_options", "kafka_producer_ssl", "kafka_producer_topic",
        "keyword", "location", "maintenance", "manual_status", "maxredirects", "maxretries", "method",
        "mqtt_check_type", "mqtt_password", "mqtt_success_message", "mqtt_topic", "mqtt_username",
        "mqtt_websocket_path", "name", "notification_idlist", "ntp_root_dispersion_threshold",
        "ntp_stratum_threshold", "ntp_time_offset_threshold", "oauth_audience", "oauth_auth_method",
        "oauth_client_id", "oauth_client_secret", "oauth_scopes", "oauth_token_url", "packet_size", "parent", "path",
        "path_name", "ping_count", "ping_numeric", "ping_per_request_timeout", "port", "protocol", "proxy_id",
        "push_token", "rabbitmq_nodes", "rabbitmq_password", "rabbitmq_username", "radius_called_station_id",
        "radius_calling_station_id", "radius_password", "radius_secret", "radius_username", "remote_browser",
        "resend_interval", "response_max_length", "retry_interval", "retry_only_on_status_code_failure",
        "save_error_response", "save_response", "screenshot", "screenshot_delay", "smtp_security", "snmp_oid",
        "snmp_v3_username", "snmp_version", "subtype", "system_service_name", "tags", "timeout", "tls_ca", "tls_cert",
        "tls_key", "type", "upside_down", "url", "user_id", "weight", "ws_ignore_sec_websocket_accept_header",
        "ws_subprotocol",
    ]

    /// What to use for types that reachd lacks.
    private static let hints: [String: String] = [
        "docker": "probe a port of the container", "tailscale-ping": "use icmp with the address in the tailnet",
        "real-browser": "use http with expect", "grpc-keyword": "reachd's grpc calls grpc.health.v1.Health/Check alone",
        "websocket-upgrade": "use http with the header Upgrade and status 101",
    ]

    /// - Returns: Whether reachd has such a probe; otherwise it is noted.
    static func take(
        _ monitor: KumaRow,
        _ tables: KumaTables,
        _ target: inout [(String, YAMLText)],
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) -> Bool {
        let type = monitor.text("type") ?? ""
        switch type {
        case "http", "keyword", "json-query":
            guard monitor.text("url") != nil else {
                draft.leaveOut(monitor.node, "\(probe.title) is left out: it has no url")
                return false
            }
            KumaHTTP.take(monitor, tables, &probe, &draft)
        case "port": port(monitor, tables, &probe, &draft)
        case "ping": ping(monitor, &probe, &draft)
        case "dns": dns(monitor, &target, &probe, &draft)
        case "smtp": smtp(monitor, tables, &probe, &draft)
        case "ntp": ntp(monitor, &probe, &draft)
        case "push":
            probe.type = "push"
            target = [("address", .word("127.0.0.1"))]
        case "grpc-keyword" where KumaHealth.take(monitor, &target, &probe, &draft): break
        default:
            let use = hints[type] ?? "use push and a script of your own"
            let words: NoteText = "reachd has no probe of the type \(same: type.quoted); \(same: use)"
            draft.leaveOut(monitor.node, "\(probe.title) is left out: \(words)")
            return false
        }
        if ["port", "ping", "smtp", "ntp"].contains(type) {
            guard let host = monitor.text("hostname") else {
                draft.leaveOut(monitor.node, "\(probe.title) is left out: it has no hostname")
                return false
            }
            target = [("host", .text(host))]
        }
        if type != "push", let family = monitor.text("ip_family"), ["ipv4", "ipv6"].contains(family) {
            probe.keys.append(("family", .word(family)))
        }
        schedule(monitor, &probe, &draft)
        if monitor.flag("upside_down") { turn(monitor, type, &probe) }
        return true
    }

    // MARK: All types

    /// Sets the times. The first failure counts, so `fall` is one more than the retries; one success is enough.
    private static func schedule(_ monitor: KumaRow, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        let longest = 604_800
        let wanted = max(1, monitor.integer("interval") ?? 60)
        let interval = min(wanted, longest)
        if interval < wanted {
            draft.note(monitor.node, "\(probe.title): its interval is reduced to 7d, the longest of reachd")
        }
        probe.keys.append(("interval", .word("\(interval)s")))
        let retries = max(0, monitor.integer("maxretries") ?? 0)
        let pause = monitor.integer("retry_interval").flatMap { $0 > 0 ? $0 : nil } ?? wanted
        guard probe.type != "push" else {
            // A call is late after a second; each retry is another wait.
            let grace = min(longest, 1 + retries.multipliedReportingOverflow(by: pause).partialValue)
            return probe.keys.append(("grace", .word("\(max(1, grace))s")))
        }
        let waits = ["http", "icmp", "ntp"].contains(probe.type)
        let own = monitor.number("timeout").flatMap { waits && $0 > 0 ? $0 : nil }
        if let seconds = own ?? (probe.type == "http" ? Double(wanted) * 0.8 : nil) {
            let milliseconds = Int(min(seconds, Double(interval), 3_600) * 1_000)
            probe.keys.append(("timeout", .word(DurationText.text(milliseconds: max(1, milliseconds)))))
        }
        if retries > 99 { draft.note(monitor.node, "\(probe.title): its retries are reduced to 99") }
        probe.keys.append(("fall", .word("\(min(retries, 99) + 1)")))
        probe.keys.append(("rise", .word("1")))
        guard retries > 0 else { return }
        if pause > interval {
            draft.note(monitor.node, "\(probe.title): its retry interval is reduced to the interval")
        }
        probe.keys.append(("confirm_interval", .word("\(min(pause, interval))s")))
    }

    /// Turns the result around: in reachd, only whether there is an answer.
    private static func turn(_ monitor: KumaRow, _ type: String, _ probe: inout ImportedProbe) {
        if ["port", "ping"].contains(type), probe.expect.isEmpty {
            probe.expect = [("reachable", .word("false"))]
        } else {
            probe.pauses.append(
                "it is upside down, and reachd can expect that there is no answer (expect.reachable), but not any failure"
            )
        }
    }

    /// Expects that certificates are valid for as long as Uptime Kuma wants.
    static func expectValidity(_ tables: KumaTables, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        probe.expect.append(("certificate_days", .word("\(tables.expiryDays)")))
        draft.note(
            probe.node,
            "\(probe.title): with less than \(tables.expiryDays) days of its certificate left, the target is degraded"
        )
    }

    // MARK: Types

    private static func port(
        _ monitor: KumaRow,
        _ tables: KumaTables,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        probe.type = "tcp"
        if let port = monitor.integer("port") { probe.keys.append(("port", .word("\(port)"))) }
        if let alert = monitor.text("expected_tls_alert"), alert != "none" {
            draft.lose(
                .condition,
                monitor.node,
                "\(probe.title): the TLS alert \(alert.quoted) is not expected by reachd"
            )
        }
        guard monitor.flag("expiry_notification"), let security = monitor.text("smtp_security") else { return }
        let protocols = [21: "ftp", 25: "smtp", 110: "pop3", 143: "imap", 587: "smtp"]
        if security == "secure" {
            probe.type = "tls"
            expectValidity(tables, &probe, &draft)
        } else if security == "starttls", let name = protocols[monitor.integer("port") ?? 0] {
            probe.type = "tls"
            probe.keys.append(("starttls", .word(name)))
            expectValidity(tables, &probe, &draft)
        } else if security == "starttls" {
            draft.lose(
                .condition,
                monitor.node,
                "\(probe.title): its certificate is not checked: the protocol of STARTTLS is not known; see starttls"
            )
        }
    }

    private static func ping(_ monitor: KumaRow, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        probe.type = "icmp"
        var keys: [(String, YAMLText)] = []
        if let count = monitor.integer("ping_count"), count > 1 { keys.append(("count", .word("\(count)"))) }
        if let size = monitor.integer("packet_size"), size > 0, size != 56 { keys.append(("size", .word("\(size)"))) }
        if !keys.isEmpty { probe.keys.append(("icmp", .mapping(keys))) }
    }

    private static func smtp(
        _ monitor: KumaRow,
        _ tables: KumaTables,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        let security = monitor.text("smtp_security")
        probe.type = security == "secure" || security == "starttls" ? "tls" : "tcp"
        probe.keys.append(("port", .word("\(monitor.integer("port") ?? 25)")))
        if security == "starttls" {
            probe.keys.append(("starttls", .word("smtp")))
        } else {
            probe.keys.append(("dialogue", .list([.mapping([("expect", .text("^220[ -]"))])])))
        }
        if probe.type == "tls", monitor.flag("expiry_notification") { expectValidity(tables, &probe, &draft) }
    }

    private static func ntp(_ monitor: KumaRow, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        probe.type = "ntp"
        if let port = monitor.integer("port") { probe.keys.append(("port", .word("\(port)"))) }
        if let stratum = monitor.integer("ntp_stratum_threshold") {
            probe.expect.append(("max_stratum", .word("\(stratum)")))
        }
        if let offset = monitor.integer("ntp_time_offset_threshold") {
            probe.expect.append(("max_offset", .word("\(offset)ms")))
        }
        if monitor.integer("ntp_root_dispersion_threshold") != nil {
            draft.lose(.condition, monitor.node, "\(probe.title): the root dispersion is not compared by reachd")
        }
    }

    private static func dns(
        _ monitor: KumaRow,
        _ target: inout [(String, YAMLText)],
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        probe.type = "dns"
        let servers = (monitor.text("dns_resolve_server") ?? "1.1.1.1").split { ", ".contains($0) }.map(String.init)
        target = [("host", .text(servers.first ?? "1.1.1.1"))]
        if servers.count > 1 {
            let words: NoteText = "only the first of its servers is asked; make a target of each other"
            draft.lose(.setting, monitor.node, "\(probe.title): \(words)")
        }
        if let port = monitor.integer("port"), port != 53 { probe.keys.append(("port", .word("\(port)"))) }
        let type = (monitor.text("dns_resolve_type") ?? "A").uppercased()
        var name = monitor.text("hostname") ?? ""
        if type == "PTR", let address = IPAddress(name) { name = address.reverseName }
        probe.keys.append(("dns", .mapping([("name", .text(name)), ("type", .text(type))])))
        guard case .sequence(let conditions)? = monitor.json("conditions")?.content, !conditions.isEmpty else { return }
        // A record must hold all of them; reachd's patterns may hold for different records.
        if conditions.count == 1, ["A", "AAAA", "CNAME", "NS", "PTR", "TXT"].contains(type),
            let pattern = pattern(conditions[0])
        {
            probe.expect.append(("answers", .text(pattern)))
        } else {
            probe.pauses.append(
                "its conditions cannot be carried over, and without them any answer would be accepted; see expect.answers"
            )
        }
    }

    /// A pattern for a condition on a record; names of records end in a dot in reachd.
    private static func pattern(_ condition: YAMLNode) -> String? {
        guard condition["type"]?.text == "expression", condition["variable"]?.text == "record",
            let value = condition["value"]?.text, !value.isEmpty
        else { return nil }
        let text = value.literalPattern
        return switch condition["operator"]?.text {
        case "equals": "^\"?\(text)\\.?\"?$"
        case "contains": text
        case "starts_with": "^\"?\(text)"
        case "ends_with": "\(text)\\.?\"?$"
        default: nil
        }
    }
}

extension IPAddress {
    /// The name of the record with the address's name (RFC 1035 3.5, RFC 3596 2.5).
    fileprivate var reverseName: String {
        let bytes = unsafe withNetworkBytes { unsafe Array($0) }.reversed()
        if family == .ipv4 { return bytes.map { "\($0)." }.joined() + "in-addr.arpa" }
        let digits = bytes.flatMap { [$0 & 0xf, $0 >> 4] }
        return digits.map { String($0, radix: 16) + "." }.joined() + "ip6.arpa"
    }
}
