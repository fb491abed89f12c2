// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The section `http` of a blackbox_exporter module.
enum BlackboxHTTP {
    static func take(
        _ section: inout ForeignMapping?,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        guard var http = section else {
            // blackbox_exporter follows redirects by default.
            probe.keys.append(("redirects", .word("10")))
            return
        }
        defer { section = http }
        if let method = http.text("method") { probe.keys.append(("method", .text(method.uppercased()))) }
        redirects(&http, &probe)
        probe.takeHeaders(http.labels("headers").map { ($0, .text($1)) }, of: "http.headers", &draft)
        if let body = http.text("body") {
            probe.noteSecret(in: body, "http.body", &draft)
            probe.keys.append(("body", .text(body)))
        }
        version(&http, &probe, &draft)
        compression(&http, &probe, &draft)
        size(&http, &probe, &draft)
        statuses(&http, &probe, &draft)
        texts(&http, &probe, &draft)
        headerRules(&http, &probe, &draft)
        probe.takeTLS(http.mapping("tls_config"), &draft)
        credentials(&http, &probe, &draft)
        proxy(&http, &probe, &draft)
        // reachd behaves like this anyway.
        if http.boolean("skip_resolve_phase_with_proxy") != nil {}
        for (key, isSecure) in [("fail_if_ssl", false), ("fail_if_not_ssl", true)] where http.boolean(key) == true {
            probe.expect.append(("https", .word("\(isSecure)")))
        }
        if let node = http.take("proxy_from_environment"), node.text == "true" {
            draft.lose(.condition, node, "\(probe.title): 'proxy_from_environment' is not carried over")
        }
    }

    private static func redirects(_ http: inout ForeignMapping, _ probe: inout ImportedProbe) {
        let forbids = http.boolean("no_follow_redirects") ?? false
        let follows = http.boolean("follow_redirects") ?? !forbids
        probe.keys.append(("redirects", .word(follows ? "10" : "0")))
    }

    private static func version(
        _ http: inout ForeignMapping,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        let allowsTwo = http.boolean("enable_http2") ?? true
        guard let node = http.take("valid_http_versions") else {
            if !allowsTwo { probe.keys.append(("http_version", .word("\"1.1\""))) }
            return
        }
        var versions: [String] = []
        if case .sequence(let items) = node.content {
            versions = items.compactMap(\.text).map { $0 == "HTTP/2" ? "HTTP/2.0" : $0 }
        }
        switch Set(versions) {
        case []: break
        case ["HTTP/2.0"]: probe.keys.append(("http_version", .word("\"2\"")))
        case ["HTTP/1.1"], ["HTTP/1.1", "HTTP/1.0"]: probe.keys.append(("http_version", .word("\"1.1\"")))
        default:
            if !allowsTwo { probe.keys.append(("http_version", .word("\"1.1\""))) }
            let isAll = Set(versions).isSuperset(of: ["HTTP/1.1", "HTTP/2.0"])
            if !isAll {
                let words: NoteText = "valid_http_versions is not carried over: reachd cannot require these versions"
                draft.lose(.condition, node, "\(probe.title): \(words)")
            }
        }
    }

    private static func compression(
        _ http: inout ForeignMapping,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        guard let node = http.take("compression"), let kind = node.text else { return }
        if kind == "identity" || kind == "none" {
            probe.keys.append(("compression", .word("false")))
        } else if kind != "gzip" && kind != "deflate" && kind != "br" {
            draft.lose(.setting, node, "\(probe.title): the compression \(kind.quoted) is not carried over")
        }
    }

    private static func size(_ http: inout ForeignMapping, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        guard let node = http.take("body_size_limit"), let text = node.text, text != "0" else { return }
        let units = [
            "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "B": 1, "": 1,
        ]
        let digits = text.prefix { $0.isNumber }
        guard let number = Int(digits), let unit = units[text.dropFirst(digits.count).trimmed],
            number <= (64 << 20) / unit
        else {
            let words: NoteText = "body_size_limit \(text.quoted) is not carried over; 1MiB of the body is read"
            draft.lose(.setting, node, "\(probe.title): \(words)")
            return
        }
        probe.keys.append(("body_limit", .word("\(number * unit)")))
        probe.expect.append(("whole_body", .word("true")))
    }

    private static func statuses(
        _ http: inout ForeignMapping,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        let codes = http.texts("valid_status_codes")
        if !codes.isEmpty { probe.expect.append(("status", .text(codes.joined(separator: ",")))) }
    }

    private static func texts(_ http: inout ForeignMapping, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        let refused = http.texts("fail_if_body_matches_regexp")
        if !refused.isEmpty {
            let patterns = refused.map { probe.pattern($0, isMultiline: true, &draft) }
            probe.expect.append(("body_not_matches", ImportedProbe.oneOrMore(patterns)))
        }
        let wanted = http.texts("fail_if_body_not_matches_regexp")
        if !wanted.isEmpty {
            let patterns = wanted.map { probe.pattern($0, isMultiline: true, &draft) }
            probe.expect.append(("body_matches", ImportedProbe.oneOrMore(patterns)))
        }
    }

    private static func headerRules(
        _ http: inout ForeignMapping,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        var rules: [YAMLText] = []
        for (key, ours) in [("fail_if_header_matches", "not_matches"), ("fail_if_header_not_matches", "matches")] {
            for node in http.list(key) {
                guard var rule = ForeignMapping(node), let header = rule.text("header"),
                    let pattern = rule.text("regexp")
                else {
                    draft.lose(
                        .condition,
                        node,
                        "\(probe.title): a rule of \(same: key) is not carried over: it has no header or regexp"
                    )
                    continue
                }
                let mayMiss = rule.boolean("allow_missing") ?? false
                // reachd's `not_matches` holds for a missing header, and `matches` does not.
                if mayMiss == (ours == "matches") {
                    let verb = mayMiss ? "fails" : "does not fail"
                    let words: NoteText = "the probe \(verb) in reachd if the header \(header.quoted) is missing"
                    draft.note(node, "\(probe.title): \(words)")
                }
                rules.append(.mapping([("name", .text(header)), (ours, probe.pattern(pattern, at: node, &draft))]))
            }
        }
        if !rules.isEmpty { probe.expect.append(("headers", .list(rules))) }
    }

    private static func credentials(
        _ http: inout ForeignMapping,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        if var basic = http.mapping("basic_auth") {
            let (user, password) = (basic.text("username"), basic.take("password"))
            var file = basic.text("password_file").map { YAMLText.text($0) }
            if user != nil, file == nil, let password {
                file = probe.secretFile("password", of: "http.basic_auth.password", password, &draft)
            }
            if let user, let file {
                probe.keys.append(("auth", .mapping([("user", .text(user)), ("password_file", file)])))
            } else {
                let words: NoteText = "basic_auth is not carried over: it has no username and password"
                draft.lose(.setting, basic.node, "\(probe.title): \(words)")
            }
        }
        if let token = http.take("bearer_token") {
            let file = probe.secretFile("token", of: "http.bearer_token", token, &draft)
            probe.keys.append(("auth", .mapping([("token_file", file)])))
        }
        if let file = http.text("bearer_token_file") {
            probe.keys.append(("auth", .mapping([("token_file", .text(file))])))
        }
        guard var authorization = http.mapping("authorization") else { return }
        let isBearer = (authorization.text("type") ?? "Bearer").lowercased() == "bearer"
        let file = authorization.text("credentials_file").map { YAMLText.text($0) }
        if isBearer, let file {
            probe.keys.append(("auth", .mapping([("token_file", file)])))
        } else if isBearer, let token = authorization.take("credentials") {
            let file = probe.secretFile("token", of: "http.authorization.credentials", token, &draft)
            probe.keys.append(("auth", .mapping([("token_file", file)])))
        } else {
            draft.lose(
                .setting,
                authorization.node,
                "\(probe.title): authorization is not carried over; reachd accepts a bearer token in its own file: "
                    + "add auth with token_file"
            )
        }
    }

    private static func proxy(_ http: inout ForeignMapping, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        guard let node = http.take("proxy_url"), let text = node.text else { return }
        guard let (scheme, host, port) = text.endpoint, scheme == "http", !text.contains("@") else {
            draft.lose(
                .setting,
                node,
                "\(probe.title): proxy_url is not carried over: only http://HOST:PORT is supported"
            )
            return
        }
        probe.keys.append(("proxy", .mapping([("host", .text(host)), ("port", .word("\(port ?? 80)"))])))
    }
}
