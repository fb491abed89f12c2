// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Converts a Gatus endpoint's URL to a probe.
enum GatusProbe {
    /// - Returns: Whether reachd has such a probe; otherwise it is noted.
    static func take(
        _ node: YAMLNode,
        _ placeholders: GatusPlaceholders,
        _ endpoint: inout ForeignMapping,
        _ target: inout [(String, YAMLText)],
        _ probe: inout ImportedProbe,
        _ variables: inout GatusVariables,
        _ draft: inout ImportDraft
    ) -> Bool {
        let url = variables.template(placeholders.url)
        if let question = endpoint.mapping("dns") {
            return dns(question, url, &target, &probe, &variables, &draft, at: node)
        }
        if let name = GatusVariables.first(of: url) {
            variables.urls.insert(name)
            draft.note(
                node,
                "\(probe.title): the variable \(name) has the scheme of the URL, which must be http or https"
            )
            http(url, placeholders, &endpoint, &probe, &variables, &draft)
            return true
        }
        let scheme = url.split(separator: "://", maxSplits: 1).first.map { $0.lowercased() } ?? ""
        if scheme == "http" || scheme == "https" {
            http(url, placeholders, &endpoint, &probe, &variables, &draft)
            return true
        }
        for key in ["method", "headers", "graphql"] { _ = endpoint.take(key) }
        guard let place = url.endpointTemplate else {
            draft.leaveOut(node, "\(probe.title) is left out: \(url.quoted) has no host")
            return false
        }
        let standard: [String: String] = [
            "tcp": "tcp", "udp": "udp", "icmp": "icmp", "tls": "tls", "starttls": "tls", "grpc": "grpc",
            "grpcs": "grpc",
        ]
        guard let type = standard[scheme] else {
            draft.leaveOut(node, "\(probe.title) is left out: reachd does not support \(same: scheme)://")
            return false
        }
        probe.type = type
        target.append(("host", .template(place.host)))
        if let port = place.port, type != "icmp" { probe.keys.append(("port", variables.port(port))) }
        func body() -> YAMLText? {
            guard let node = endpoint.take("body"), let text = node.text, !text.isEmpty else { return nil }
            probe.noteSecret(in: text, "body", &draft)
            return .template(variables.template(placeholders.fill(text, probe, &draft, at: node)))
        }
        switch scheme {
        case "starttls": probe.keys.append(("starttls", .word("smtp")))
        case "grpcs": probe.tls = []
        case "udp":
            if let body = body() { probe.keys.append(("payload", body)) }
            // Gatus does not wait for a reply.
            probe.expect.append(("silence", .word("true")))
            draft.note(
                node,
                "\(probe.title): Gatus does not wait for a reply; with expect.silence the target is up while nothing "
                    + "refuses and the path works; write payload and expect.reply for a server that replies"
            )
        case "tcp", "tls":
            if let body = body() { probe.keys.append(("dialogue", .list([.mapping([("send", body)])]))) }
        default: break
        }
        return true
    }

    private static func http(
        _ url: String,
        _ placeholders: GatusPlaceholders,
        _ endpoint: inout ForeignMapping,
        _ probe: inout ImportedProbe,
        _ variables: inout GatusVariables,
        _ draft: inout ImportDraft
    ) {
        probe.type = "http"
        probe.keys.append(("url", .template(url)))
        probe.noteSecret(in: url, "url", &draft)
        if let method = endpoint.text("method") { probe.keys.append(("method", .text(method.uppercased()))) }
        let headers = endpoint.labels("headers").map { ($0.0, YAMLText.template(variables.template($0.1))) }
        probe.takeHeaders(headers, of: "headers", &draft)
        let isQuery = endpoint.boolean("graphql") ?? false
        guard let body = endpoint.take("body"), let text = body.text else { return }
        if isQuery { draft.note(body, "\(probe.title): Gatus wraps a graphql body; write {\"query\": …} yourself") }
        probe.noteSecret(in: text, "body", &draft)
        let filled = placeholders.fill(text, probe, &draft, at: body)
        probe.keys.append(("body", .template(variables.template(filled))))
    }

    private static func dns(
        _ question: ForeignMapping,
        _ url: String,
        _ target: inout [(String, YAMLText)],
        _ probe: inout ImportedProbe,
        _ variables: inout GatusVariables,
        _ draft: inout ImportDraft,
        at node: YAMLNode
    ) -> Bool {
        var question = question
        guard let place = (url.contains("://") ? url : "dns://\(url)").endpointTemplate else {
            draft.leaveOut(node, "\(probe.title) is left out: \(url.quoted) has no host")
            return false
        }
        probe.type = "dns"
        target.append(("host", .template(place.host)))
        if let port = place.port { probe.keys.append(("port", variables.port(port))) }
        var keys: [(String, YAMLText)] = []
        if let name = question.text("query-name") { keys.append(("name", .template(variables.template(name)))) }
        if let type = question.text("query-type") { keys.append(("type", .text(type.uppercased()))) }
        probe.keys.append(("dns", .mapping(keys)))
        question.noteRest(of: "\(probe.title): dns", &draft)
        return true
    }
}
