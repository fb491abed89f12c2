// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import LinuxIO
import Schema

/// Converts monitors of HTTP: their request, credentials and proxy, and what they expect.
enum KumaHTTP {
    static func take(
        _ monitor: KumaRow,
        _ tables: KumaTables,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        probe.type = "http"
        let (url, urlCredentials) = URLCredentials.split(monitor.text("url") ?? "")
        probe.keys.append(("url", .text(url)))
        probe.noteSecret(in: url, "url", &draft)
        if let method = monitor.text("method")?.uppercased(), method != "GET" {
            probe.keys.append(("method", .text(method)))
        }
        request(monitor, &probe, &draft)
        let redirects = max(0, monitor.integer("maxredirects") ?? 10)
        if redirects > 50 { draft.note(monitor.node, "\(probe.title): its redirects are reduced to 50") }
        probe.keys.append(("redirects", .word("\(min(redirects, 50))")))
        credentials(monitor, &probe, &draft)
        probe.takeCredentials(urlCredentials, of: "url", &draft)
        proxy(monitor, tables, &probe, &draft)
        let isTLS = url.lowercased().hasPrefix("https:")
        if monitor.flag("ignore_tls"), isTLS {
            probe.tls = (probe.tls ?? []) + [("insecure_skip_verify", .word("true"))]
        }
        if monitor.flag("expiry_notification"), isTLS { KumaProbe.expectValidity(tables, &probe, &draft) }
        let codes = monitor.texts("accepted_statuscodes_json") + monitor.texts("accepted_statuscodes")
        if !codes.isEmpty, codes != ["200-299"] { probe.expect.append(("status", .text(codes.joined(separator: ",")))) }
        expectation(monitor, &probe, &draft)
        for (column, words) in [
            ("cache_bust", "its URL gets no random parameter against caches"),
            ("retry_only_on_status_code_failure", "a failed JSON query is retried, too"),
        ] where monitor.flag(column) {
            draft.lose(.setting, monitor.node, "\(probe.title): \(same: column) is not carried over: \(same: words)")
        }
    }

    // MARK: The request

    private static func request(_ monitor: KumaRow, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        var headers: [(String, YAMLText)] = []
        if monitor.text("headers") != nil {
            if case .mapping(let pairs)? = monitor.json("headers")?.content {
                for pair in pairs {
                    if let key = pair.key.text, let value = pair.value.text { headers.append((key, .text(value))) }
                }
            } else {
                draft.lose(.setting, monitor.node, "\(probe.title): its headers are not JSON and are not carried over")
            }
        }
        if let body = monitor.text("body"), !body.allSatisfy(\.isWhitespace) {
            let types = ["form": "application/x-www-form-urlencoded", "xml": "text/xml; charset=utf-8"]
            let type = types[monitor.text("http_body_encoding") ?? ""] ?? "application/json"
            if !headers.contains(where: { $0.0.lowercased() == "content-type" }) {
                headers.append(("Content-Type", .text(type)))
            }
            probe.noteSecret(in: body, "body", &draft)
            probe.keys.append(("body", .text(body)))
        }
        probe.takeHeaders(headers, of: "headers", &draft)
    }

    private static func credentials(_ monitor: KumaRow, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        func file(_ kind: String, _ column: String) -> YAMLText? {
            guard let text = monitor.text(column) else { return nil }
            let secret = YAMLNode(.scalar(text, isPlain: false), position: monitor.node.position)
            return probe.secretFile(kind, of: column, secret, &draft)
        }
        let method = monitor.text("auth_method") ?? (monitor.text("basic_auth_user") == nil ? "" : "basic")
        switch method {
        case "", "null": break
        case "basic":
            if let user = monitor.text("basic_auth_user"), let password = file("password", "basic_auth_pass") {
                probe.keys.append(("auth", .mapping([("user", .text(user)), ("password_file", password)])))
            } else {
                draft.lose(
                    .setting,
                    monitor.node,
                    "\(probe.title): its basic authentication is not carried over: it has no user and password"
                )
            }
        case "bearer":
            if let token = file("token", "bearer_token") {
                probe.keys.append(("auth", .mapping([("token_file", token)])))
            }
        case "mtls":
            var keys: [(String, YAMLText)] = []
            for (key, column) in [("ca_file", "tls_ca"), ("cert_file", "tls_cert"), ("key_file", "tls_key")] {
                let kind = String(column.dropFirst(4)) + ".pem"
                if let path = file(kind, column) { keys.append((key, path)) }
            }
            if !keys.isEmpty { probe.tls = keys }
        default:
            probe.pauses.append(
                "reachd has no authentication of the kind \(method.quoted), and would be refused without"
            )
        }
    }

    private static func proxy(
        _ monitor: KumaRow,
        _ tables: KumaTables,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        guard let id = monitor.integer("proxy_id"), let proxy = tables.proxies[id] else {
            if monitor.text("proxy_id") != nil {
                probe.pauses.append("its proxy is not known, and without it the probe would take another path")
            }
            return
        }
        guard proxy.flag("active", default: true) else { return }
        guard proxy.text("protocol") == "http", let host = proxy.text("host") else {
            return probe.pauses.append(
                "its proxy is not of the kind http, and without it the probe would take another path"
            )
        }
        var keys: [(String, YAMLText)] = [("host", .text(host)), ("port", .word("\(proxy.integer("port") ?? 80)"))]
        if proxy.flag("auth"), let user = proxy.text("username") {
            keys.append(("user", .text(user)))
            if let password = proxy.text("password") {
                let secret = YAMLNode(.scalar(password, isPlain: false), position: proxy.node.position)
                keys.append(("password_file", probe.secretFile("proxy-password", of: "proxy.password", secret, &draft)))
            }
        }
        probe.keys.append(("proxy", .mapping(keys)))
    }

    // MARK: What is expected

    private static func expectation(_ monitor: KumaRow, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        switch monitor.text("type") {
        case "keyword":
            guard let keyword = monitor.text("keyword") else {
                return draft.lose(.condition, monitor.node, "\(probe.title): its keyword is empty")
            }
            let key = monitor.flag("invert_keyword") ? "body_not_contains" : "body_contains"
            probe.expect.append((key, .text(keyword)))
            if keyword.contains("\":") {
                draft.note(
                    monitor.node,
                    "\(probe.title): the keyword is searched in the body as it was sent; Uptime Kuma removes spaces from JSON"
                )
            }
        case "json-query":
            if let item = value(monitor) {
                probe.expect.append(("json", .list([.mapping(item)])))
            } else {
                let query = (monitor.text("json_path") ?? "").quoted
                draft.lose(
                    .condition,
                    monitor.node,
                    "\(probe.title): the query \(query) is not carried over; see expect.json"
                )
            }
        default: break
        }
    }

    /// A comparison with a value in the body; nil for a query that is more than a path.
    private static func value(_ monitor: KumaRow) -> [(String, YAMLText)]? {
        guard let path = monitor.text("json_path").flatMap(path), let expected = monitor.text("expected_value") else {
            return nil
        }
        switch monitor.text("json_path_operator") ?? "==" {
        case "==": return [("path", .text(path)), ("value", .text(expected))]
        case "contains": return [("path", .text(path)), ("matches", .text(expected.literalPattern))]
        case let sign where ["!=", "<", "<=", ">", ">="].contains(sign):
            return [("path", .text(path)), ("is", .text(sign)), ("value", .text(expected))]
        default: return nil
        }
    }

    /// A path of names and numbers, in reachd's form.
    private static func path(_ query: String) -> String? {
        var rest = query[...]
        if rest.hasPrefix("$") { rest = rest.dropFirst() }
        if rest.hasPrefix(".") { rest = rest.dropFirst() }
        guard !rest.isEmpty, rest.utf8.count <= 250, rest.first?.isNumber != true else { return nil }
        let isSimple = rest.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            let name = part.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            let indices = part.dropFirst(name.count).split(separator: "]", omittingEmptySubsequences: false)
            return (!name.isEmpty || part.startIndex == rest.startIndex) && indices.last?.isEmpty != false
                && indices.dropLast().allSatisfy {
                    $0.first == "[" && $0.dropFirst().count < 9 && Int($0.dropFirst()) ?? -1 >= 0
                }
        }
        guard isSimple else { return nil }
        return rest.hasPrefix("[") ? "$\(rest)" : "$.\(rest)"
    }
}
