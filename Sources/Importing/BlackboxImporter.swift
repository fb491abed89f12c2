// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Converts blackbox_exporter's modules to reachd's.
///
/// The meaning of its keys follows its documentation; what reachd cannot express is noted.
struct BlackboxImporter {
    func take(_ root: YAMLNode, _ draft: inout ImportDraft) {
        guard var file = ForeignMapping(root) else { return }
        let modules = file.take("modules")
        file.noteRest(of: "the file", &draft)
        guard let modules, case .mapping(let pairs) = modules.content else { return }
        var usesStandardFamily = false
        for pair in pairs {
            guard let name = pair.key.text else { continue }
            guard var module = ForeignMapping(pair.value) else {
                draft.note(pair.key, "the module \(name.quoted) is left out: it is not a mapping")
                continue
            }
            take(name, &module, at: pair.key, &usesStandardFamily, &draft)
        }
        if usesStandardFamily {
            let words = "modules without preferred_ip_protocol prefer IPv6 in blackbox_exporter, and IPv4 in reachd"
            draft.note(modules, words)
        }
    }

    private func take(
        _ name: String,
        _ module: inout ForeignMapping,
        at node: YAMLNode,
        _ usesStandardFamily: inout Bool,
        _ draft: inout ImportDraft
    ) {
        let title = "the module \(name.quoted)"
        let prober = module.text("prober") ?? ""
        var probe = ImportedProbe(title: title, name: name, node: node)
        var variables = GatusVariables()
        probe.type = prober
        // For blackbox_exporter, an absent timeout and 0 both mean the scrape's timeout.
        if let timeout = module.take("timeout"), let text = timeout.text, GoDuration.milliseconds(text) != 0 {
            if let duration = GoDuration.text(text) {
                probe.keys.append(("timeout", duration))
            } else {
                draft.note(timeout, "\(title): the timeout \(text.quoted) is not a duration and is not carried over")
            }
        }
        var section = module.mapping(prober)
        if section != nil { family(&section, &probe, &usesStandardFamily, &draft) } else { usesStandardFamily = true }
        switch prober {
        case "http": BlackboxHTTP.take(&section, &probe, &variables, &draft)
        case "tcp": BlackboxStreams.tcp(&section, &probe, &draft)
        case "grpc": BlackboxStreams.grpc(&section, &probe, &variables, &draft)
        case "dns": BlackboxDNS.take(&section, &probe, &draft)
        case "icmp": icmp(&section, &probe)
        default:
            draft.note(node, "\(title) is left out: reachd has no prober \(prober.quoted)")
            return
        }
        section?.noteRest(of: title, &draft)
        // Sections of other probers, which have no effect there either.
        for other in ["http", "tcp", "grpc", "dns", "icmp", "unix", "websocket"] { _ = module.take(other) }
        module.noteRest(of: title, &draft)
        let id = draft.unique(name)
        if id != name {
            draft.note(
                node,
                "\(title) is renamed to \(id): names have letters, digits, -, _, . and : only, and are unique"
            )
        }
        draft.add(
            .mapping([("name", .text(id)), ("probe", probe.text)]),
            to: "probe_modules",
            name: title,
            variables: variables,
            at: node
        )
    }

    private func family(
        _ section: inout ForeignMapping?,
        _ probe: inout ImportedProbe,
        _ usesStandardFamily: inout Bool,
        _ draft: inout ImportDraft
    ) {
        let preferred = section?.take("preferred_ip_protocol")
        let fallsBack = section?.boolean("ip_protocol_fallback") ?? true
        switch (preferred?.text, fallsBack) {
        case ("ip4"?, true): break
        case ("ip6"?, true):
            if let preferred { draft.note(preferred, "\(probe.title): it prefers IPv6; reachd prefers IPv4") }
        case ("ip4"?, false): probe.keys.append(("family", .word("ipv4")))
        case (_, false): probe.keys.append(("family", .word("ipv6")))
        default: usesStandardFamily = true
        }
        if let source = section?.text("source_ip_address") { probe.keys.append(("source_address", .text(source))) }
    }

    private func icmp(_ section: inout ForeignMapping?, _ probe: inout ImportedProbe) {
        var keys: [(String, YAMLText)] = []
        for (key, ours) in [("payload_size", "size"), ("ttl", "ttl")] {
            if let number = section?.text(key).flatMap({ Int($0) }), number > 0 {
                keys.append((ours, .word("\(number)")))
            }
        }
        if let whole = section?.boolean("dont_fragment") { keys.append(("dont_fragment", .word("\(whole)"))) }
        if !keys.isEmpty { probe.keys.append(("icmp", .mapping(keys))) }
    }
}
