// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Probing
import Schema

/// Converts Gatus' endpoints to reachd's targets.
///
/// The meaning of its keys follows its documentation; what reachd cannot express is noted.
struct GatusImporter {
    func take(_ root: YAMLNode, _ draft: inout ImportDraft) {
        guard var file = ForeignMapping(root) else { return }
        let windows = GatusMaintenance.windows(
            file.take("maintenance").map { [$0] } ?? [],
            NoteSubject(term: "the", name: "file"),
            &draft
        )
        let alerting = file.take("alerting")
        let alerts = GatusAlerts(ForeignMapping(alerting))
        var receivers = GatusReceivers()
        for node in file.list("endpoints") {
            draft.tally.find(.endpoint)
            endpoint(node, windows, alerts, &receivers, &draft)
        }
        for node in file.list("external-endpoints") {
            draft.tally.find(.endpoint)
            external(node, windows, alerts, &receivers, &draft)
        }
        receivers.finish(alerting, at: root, &draft)
        connectivity(&file, &draft)
        rest(&file, at: root, &draft)
    }

    // MARK: The file

    /// Notes the rest of the file's keys. Gatus ignores keys that it does not know; files have anchors of YAML there.
    private func rest(_ file: inout ForeignMapping, at root: YAMLNode, _ draft: inout ImportDraft) {
        for key in ["suites", "remote", "tunneling", "announcements"] {
            if let node = file.take(key) { draft.lose(.setting, node, "\(same: key) is not carried over") }
        }
        let known = [
            "concurrency", "debug", "disable-monitoring-lock", "metrics", "security", "skip-invalid-config-update",
            "storage", "ui", "web",
        ]
        let settings = known.filter { file.take($0) != nil }
        guard !settings.isEmpty else { return }
        let words = "settings of Gatus itself are not carried over: \(settings.joined(separator: ", "))"
        draft.note(root, "\(same: words)")
    }

    /// Makes an anchor of the host without which Gatus probes nothing.
    private func connectivity(_ file: inout ForeignMapping, _ draft: inout ImportDraft) {
        guard let node = file.take("connectivity"), var connectivity = ForeignMapping(node),
            var checker = connectivity.mapping("checker")
        else { return }
        let title = NoteSubject(term: "the", name: "connectivity.checker")
        var variables = GatusVariables()
        guard let place = checker.text("target").map({ "tcp://\(variables.template($0))" })?.endpointTemplate,
            let port = place.port
        else { return draft.lose(.setting, node, "\(title) is not carried over: its target is not HOST:PORT") }
        var probe: [(String, YAMLText)] = [("type", .word("tcp")), ("port", variables.port(port))]
        probe.append(("interval", checker.text("interval").flatMap(GoDuration.text) ?? .word("1m")))
        let id = draft.unique("connectivity-checker")
        let target: [(String, YAMLText)] = [
            ("id", .text(id)), ("name", .text("Connectivity")), ("host", .template(place.host)),
            ("probe", .mapping(probe)),
        ]
        guard draft.add(.mapping(target), to: "targets", name: title, variables: variables, at: node) else { return }
        draft.addAnchor(id)
        draft.note(
            node,
            "connectivity.checker is an anchor: while it does not respond, targets are unreachable instead of down; "
                + "Gatus does not probe then"
        )
    }

    // MARK: Endpoints

    private func endpoint(
        _ node: YAMLNode,
        _ windows: [YAMLText],
        _ alerts: GatusAlerts,
        _ receivers: inout GatusReceivers,
        _ draft: inout ImportDraft
    ) {
        guard var endpoint = ForeignMapping(node) else {
            return draft.leaveOut(node, "an endpoint is left out: it is not a mapping")
        }
        let name = URLCredentials.split(endpoint.text("name") ?? "").url
        let group = endpoint.text("group")
        let title = NoteSubject(term: "the endpoint", name: (group.map { "\($0)/" } ?? "") + name)
        guard let urlNode = endpoint.take("url"), let text = urlNode.text else {
            return draft.leaveOut(node, "\(title) is left out: it has no url")
        }
        let (url, credentials) = URLCredentials.split(text)
        var variables = GatusVariables()
        var probe = ImportedProbe(title: title, name: name, node: node)
        if endpoint.boolean("enabled") == false { probe.pauses.append("it is not enabled") }
        var target: [(String, YAMLText)] = []
        let placeholders = GatusPlaceholders(name: name, group: group ?? "", url: url)
        guard GatusProbe.take(urlNode, placeholders, &endpoint, &target, &probe, &variables, &draft) else { return }
        let user = credentials.map { YAMLText.template(variables.template($0.user)) }
        probe.takeCredentials(credentials, user: user, of: "url", &draft)
        if let interval = endpoint.take("interval"), let text = interval.text {
            if let duration = GoDuration.text(text) {
                probe.keys.append(("interval", duration))
            } else {
                draft.lose(
                    .setting,
                    interval,
                    "\(title): the interval \(text.quoted) is not a duration and is not carried over"
                )
            }
        } else {
            probe.keys.append(("interval", .word("1m")))
        }
        client(&endpoint, target, &probe, &variables, &draft)
        GatusConditions.take(endpoint.list("conditions"), &probe, &variables, &draft)
        let found = alerts.take(&endpoint, &probe, &draft)
        let hides = hiding(&endpoint, title, &draft)
        let words = [group ?? "", name.isEmpty ? (hides ? "endpoint" : url) : name].filter { !$0.isEmpty }
        let id = draft.unique(words.joined(separator: "_"))
        var pairs: [(String, YAMLText)] = [("id", .text(id))]
        if !name.isEmpty { pairs.append(("name", .template(variables.template(name)))) }
        if hides { pairs.append(("hide_address", .word("true"))) }
        pairs += target
        if let group { pairs.append(("group", .template(variables.template(group)))) }
        let tags = endpoint.labels("extra-labels").map { ($0.0, YAMLText.template(variables.template($0.1))) }
        if !tags.isEmpty { pairs.append(("tags", .mapping(tags))) }
        pairs.append(("probe", probe.text))
        variables.formUnion(probe.variables)
        let parts = Endpoint(id: id, group: group, pairs: pairs, probe: probe, variables: variables, alerts: found)
        finish(parts, &endpoint, windows, &receivers, &draft)
    }

    /// What was made of an endpoint.
    private struct Endpoint {
        let id: String
        let group: String?
        var pairs: [(String, YAMLText)]
        let probe: ImportedProbe
        let variables: GatusVariables
        let alerts: [GatusReceivers.Alert]
    }

    /// Takes what all endpoints have, and adds the target.
    private func finish(
        _ made: Endpoint,
        _ endpoint: inout ForeignMapping,
        _ windows: [YAMLText],
        _ receivers: inout GatusReceivers,
        _ draft: inout ImportDraft
    ) {
        let title = made.probe.title
        var pairs = made.pairs
        let maintenance = windows + GatusMaintenance.windows(endpoint.list("maintenance-windows"), title, &draft)
        if !maintenance.isEmpty { pairs.append(("maintenance", .list(maintenance))) }
        endpoint.noteRest(of: "\(title)", &draft)
        let isAdded = draft.add(
            .mapping(pairs),
            to: "targets",
            name: title,
            as: .endpoint,
            variables: made.variables,
            pausedBy: made.probe.pauses,
            at: made.probe.node
        )
        if isAdded { receivers.take(made.id, group: made.group, made.alerts) }
    }

    /// Whether an endpoint's `ui` hides its address. In reachd one key does it: a host without its URL reveals as much
    /// as the URL.
    private func hiding(_ endpoint: inout ForeignMapping, _ title: NoteSubject, _ draft: inout ImportDraft) -> Bool {
        guard let node = endpoint.take("ui"), var ui = ForeignMapping(node) else { return false }
        let hidden = ["hide-url", "hide-hostname", "hide-port"].filter { ui.boolean($0) == true }
        if !hidden.isEmpty {
            draft.note(
                node,
                "\(title): \(same: hidden.joined(separator: ", ")) becomes hide_address: host, "
                    + "address, port, URL and certificates are not shown"
            )
        }
        for key in [
            "hide-conditions", "hide-errors", "dont-resolve-failed-conditions", "badge",
            "resolve-successful-conditions",
        ] {
            guard let lost = ui.take(key), lost.text != "false" else { continue }
            draft.lose(.setting, lost, "\(title): ui.\(same: key) is not carried over")
        }
        ui.noteRest(of: "\(title): ui", &draft)
        return !hidden.isEmpty
    }

    /// Whether the host is an address, and not a name.
    private func isAddress(_ target: [(String, YAMLText)], _ probe: ImportedProbe) -> Bool {
        let texts = target.filter { $0.0 == "host" } + probe.keys.filter { $0.0 == "url" }
        guard case .template(let text)? = texts.first?.1 else { return false }
        guard let host = text.contains("://") ? text.endpoint?.host : text else { return false }
        if case .address? = try? ProbeTarget(host).host { return true }
        return false
    }

    private func client(
        _ endpoint: inout ForeignMapping,
        _ target: [(String, YAMLText)],
        _ probe: inout ImportedProbe,
        _ variables: inout GatusVariables,
        _ draft: inout ImportDraft
    ) {
        let isHTTP = probe.type == "http"
        var client = endpoint.mapping("client")
        let ignoresRedirects = client?.boolean("ignore-redirect") ?? false
        if isHTTP, !ignoresRedirects { probe.keys.append(("redirects", .word("10"))) }
        // Gatus' default is ten seconds; reachd's timeout must not be longer than the interval.
        let timeout = client?.take("timeout")
        let wanted = timeout?.text.flatMap(GoDuration.milliseconds) ?? 10_000
        let interval = probe.keys.first { $0.0 == "interval" }.map(\.1)
        let longest: Int? = if case .word(let text)? = interval { try? DurationText.milliseconds(text) } else { nil }
        let used = max(1, min(wanted, longest ?? wanted))
        if used < wanted, let timeout {
            draft.note(timeout, "\(probe.title): the timeout is reduced to the interval")
        }
        if probe.type != "push" { probe.keys.append(("timeout", .word(DurationText.text(milliseconds: used)))) }
        guard client != nil else { return }
        var tls: [(String, YAMLText)] = []
        if client?.boolean("insecure") == true { tls.append(("insecure_skip_verify", .word("true"))) }
        if var files = client?.mapping("tls") {
            for (key, ours) in [("certificate-file", "cert_file"), ("private-key-file", "key_file")] {
                if let file = files.text(key) { tls.append((ours, .template(variables.template(file)))) }
            }
            files.noteRest(of: "\(probe.title): client.tls", &draft)
        }
        if !tls.isEmpty, ["http", "tls", "grpc"].contains(probe.type) { probe.tls = (probe.tls ?? []) + tls }
        if let network = client?.take("network"), let word = network.text {
            switch word {
            case "ip": break
            case "ip4": probe.keys.append(("family", .word("ipv4")))
            case "ip6": probe.keys.append(("family", .word("ipv6")))
            default: draft.lose(.setting, network, "\(probe.title): the network \(word.quoted) is not carried over")
            }
        }
        if let proxy = client?.take("proxy-url"), let text = proxy.text {
            if isHTTP, let (scheme, host, port) = text.endpoint, scheme == "http", !text.contains("@"),
                !text.contains("$")
            {
                probe.keys.append(("proxy", .mapping([("host", .text(host)), ("port", .word("\(port ?? 80)"))])))
            } else {
                probe.pauses.append(
                    "its client.proxy-url cannot be carried over, only http://HOST:PORT for http, and without it the "
                        + "probe would take another path"
                )
            }
        }
        if client?.take("tunnel") != nil {
            probe.pauses.append("it is probed through client.tunnel, and without it the probe would take another path")
        }
        // An address needs no resolver.
        if client?.take("dns-resolver") != nil, !isAddress(target, probe) {
            probe.pauses.append(
                "its name is resolved by client.dns-resolver, and this machine's resolvers might answer differently"
            )
        }
        client?.noteRest(of: "\(probe.title): client", &draft)
    }

    // MARK: External endpoints

    private func external(
        _ node: YAMLNode,
        _ windows: [YAMLText],
        _ alerts: GatusAlerts,
        _ receivers: inout GatusReceivers,
        _ draft: inout ImportDraft
    ) {
        guard var endpoint = ForeignMapping(node) else {
            return draft.leaveOut(node, "an endpoint is left out: it is not a mapping")
        }
        let name = endpoint.text("name") ?? ""
        let group = endpoint.text("group")
        let title = NoteSubject(term: "the external endpoint", name: (group.map { "\($0)/" } ?? "") + name)
        var heartbeat = endpoint.mapping("heartbeat")
        let interval = heartbeat?.text("interval").flatMap(GoDuration.text)
        if let token = endpoint.take("token") {
            draft.lose(.setting, token, "\(title): the token is not carried over; see access.tokens")
        }
        let id = draft.unique([group, name].compactMap(\.self).joined(separator: "_"))
        var probe = ImportedProbe(title: title, name: name, node: node)
        probe.type = "push"
        if endpoint.boolean("enabled") == false { probe.pauses.append("it is not enabled") }
        if let interval {
            probe.keys = [("interval", interval)]
        } else {
            // The longest that reachd takes.
            probe.keys = [("interval", .word("7d")), ("grace", .word("7d"))]
            draft.note(
                node,
                "\(title): without heartbeat.interval, Gatus waits forever; in reachd it is down 14 days after the last call"
            )
        }
        let found = alerts.take(&endpoint, &probe, &draft)
        var variables = GatusVariables()
        var pairs: [(String, YAMLText)] = [("id", .text(id))]
        if !name.isEmpty { pairs.append(("name", .template(variables.template(name)))) }
        draft.note(
            node,
            "\(title): it must call POST /targets/\(id)/heartbeat now; its address is unknown and set to 127.0.0.1"
        )
        pairs.append(("address", .word("127.0.0.1")))
        if let group { pairs.append(("group", .template(variables.template(group)))) }
        pairs.append(("probe", probe.text))
        let parts = Endpoint(id: id, group: group, pairs: pairs, probe: probe, variables: variables, alerts: found)
        finish(parts, &endpoint, windows, &receivers, &draft)
    }
}
