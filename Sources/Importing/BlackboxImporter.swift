// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// Converts blackbox_exporter's modules to reachd's.
///
/// The meaning of its keys follows its documentation; what reachd cannot express is noted.
struct BlackboxImporter {
    private var usesStandardFamily = false

    /// Adds all modules of a file to `probe_modules`.
    static func take(_ root: YAMLNode, _ draft: inout ImportDraft) {
        guard var file = ForeignMapping(root) else { return }
        let modules = file.take("modules")
        file.noteRest(of: "the file", &draft)
        guard let modules, case .mapping(let pairs) = modules.content else { return }
        var importer = Self()
        for pair in pairs {
            guard let name = pair.key.text else { continue }
            draft.tally.find(.module)
            guard let probe = importer.probe(of: pair, &draft) else { continue }
            let id = draft.unique(name)
            if id != name {
                draft.note(
                    pair.key,
                    "\(probe.title) is renamed to \(id): names have letters, digits, -, _, . and : only, and are unique"
                )
            }
            draft.add(
                .mapping([("name", .text(id)), ("probe", probe.text)]),
                to: "probe_modules",
                name: probe.title,
                as: .module,
                variables: probe.variables,
                pausedBy: probe.pauses,
                at: pair.key
            )
        }
        importer.finish(at: modules, &draft)
    }

    /// Makes a probe of a module, without a target.
    ///
    /// - Returns: nil if reachd has no such probe, which is noted.
    mutating func probe(of pair: YAMLNode.Pair, _ draft: inout ImportDraft) -> ImportedProbe? {
        let title = NoteSubject(term: "the module", name: (pair.key.text ?? "").quoted)
        guard var module = ForeignMapping(pair.value) else {
            draft.leaveOut(pair.key, "\(title) is left out: it is not a mapping")
            return nil
        }
        let prober = module.text("prober") ?? ""
        var probe = ImportedProbe(title: title, name: pair.key.text ?? "", node: pair.key)
        probe.type = prober
        // For blackbox_exporter, an absent timeout and 0 both mean the scrape's timeout.
        if let timeout = module.take("timeout"), let text = timeout.text, GoDuration.milliseconds(text) != 0 {
            if let duration = GoDuration.text(text) {
                probe.keys.append(("timeout", duration))
            } else {
                draft.lose(
                    .setting,
                    timeout,
                    "\(title): the timeout \(text.quoted) is not a duration and is not carried over"
                )
            }
        }
        var section = module.mapping(prober)
        if section != nil { family(&section, &probe, &draft) } else { usesStandardFamily = true }
        switch prober {
        case "http": BlackboxHTTP.take(&section, &probe, &draft)
        case "tcp": BlackboxStreams.tcp(&section, &probe, &draft)
        case "grpc": BlackboxStreams.grpc(&section, &probe, &draft)
        case "dns": BlackboxDNS.take(&section, &probe, &draft)
        case "icmp": icmp(&section, &probe)
        default:
            draft.leaveOut(pair.key, "\(title) is left out: reachd has no prober \(same: prober.quoted)")
            return nil
        }
        section?.noteRest(of: "\(title)", &draft)
        // Sections of other probers, which have no effect there either.
        for other in ["http", "tcp", "grpc", "dns", "icmp", "unix", "websocket"] { _ = module.take(other) }
        module.noteRest(of: "\(title)", &draft)
        return probe
    }

    /// Notes what several modules have in common.
    func finish(at node: YAMLNode, _ draft: inout ImportDraft) {
        guard usesStandardFamily else { return }
        draft.note(node, "modules without preferred_ip_protocol prefer IPv6 in blackbox_exporter, and IPv4 in reachd")
    }

    private mutating func family(
        _ section: inout ForeignMapping?,
        _ probe: inout ImportedProbe,
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
        if let source = section?.text("source_ip_address"), !source.isEmpty {
            probe.keys.append(("source_address", .text(source)))
        }
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
