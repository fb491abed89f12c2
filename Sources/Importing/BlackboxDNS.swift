// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The section `dns` of a blackbox_exporter module.
enum BlackboxDNS {
    static func take(_ section: inout ForeignMapping?, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        guard var dns = section else { return }
        defer { section = dns }
        var question: [(String, YAMLText)] = []
        if let name = dns.text("query_name") { question.append(("name", .text(name))) }
        // blackbox_exporter queries ANY by default.
        question.append(("type", .text(dns.text("query_type") ?? "ANY")))
        if let kind = dns.take("query_class"), let name = kind.text {
            if let ours = ["IN": "in", "CH": "ch", "HS": "hs"][name.uppercased()] {
                question.append(("class", .word(ours)))
            } else {
                draft.lose(.setting, kind, "\(probe.title): the class \(name.quoted) is not carried over")
            }
        }
        if let transport = dns.text("transport_protocol") {
            question.append(("transport", .word(transport.lowercased().hasPrefix("tcp") ? "tcp" : "udp")))
        }
        if let recursion = dns.boolean("recursion_desired") { question.append(("recursion", .word("\(recursion)"))) }
        probe.keys.append(("dns", .mapping(question)))
        if let node = dns.take("dns_over_tls"), node.text == "true" {
            draft.lose(
                .setting,
                node,
                "\(probe.title): DNS over TLS is not carried over; the query is sent in the clear"
            )
        }
        let codes = dns.texts("valid_rcodes")
        if !codes.isEmpty { probe.expect.append(("rcode", ImportedProbe.oneOrMore(codes.map { .text($0) }))) }
        // blackbox_exporter accepts an empty answer.
        probe.expect.append(("min_answers", .word("0")))
        if var rules = dns.mapping("validate_answer_rrs") { answers(&rules, &probe, &draft) }
        for key in ["validate_authority_rrs", "validate_additional_rrs"] {
            if dns.take(key) != nil { pause(&probe, without: key) }
        }
    }

    private static func answers(
        _ rules: inout ForeignMapping,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        // Without a rule, any answer and none would be accepted.
        defer {
            for (key, _) in rules.takeAll(where: { $0.hasPrefix("fail_if_") }) {
                pause(&probe, without: "validate_answer_rrs.\(key)")
            }
            rules.noteRest(of: "\(probe.title): validate_answer_rrs", losing: .condition, &draft)
        }
        guard !rules.hasWholeRecords else { return }
        let data: NoteText = "reachd matches a record's data alone, without name, time to live and type"
        if let node = rules.take("fail_if_matches_regexp"), case .sequence(let items) = node.content {
            draft.note(node, "\(probe.title): \(data)")
            let patterns = items.compactMap(\.text).map { probe.pattern($0, at: node, &draft) }
            probe.expect.append(("refused_answers", ImportedProbe.oneOrMore(patterns)))
        }
        if let node = rules.take("fail_if_none_matches_regexp"), case .sequence(let items) = node.content {
            draft.note(node, "\(probe.title): \(data)")
            let patterns = items.compactMap(\.text)
            // One of the patterns is enough there.
            let whole = patterns.count == 1 ? patterns[0] : patterns.map { "(?:\($0))" }.joined(separator: "|")
            if !patterns.isEmpty { probe.expect.append(("answers", probe.pattern(whole, at: node, &draft))) }
        }
    }

    private static func pause(_ probe: inout ImportedProbe, without key: String) {
        probe.pauses.append(
            "its rule \(same: key) cannot be carried over, and without it answers that it refuses would be accepted"
        )
    }
}

extension ForeignMapping {
    /// Whether patterns are for a record as a whole, with its name, its time to live and its type, which tabs separate; reachd
    /// matches its data alone.
    fileprivate var hasWholeRecords: Bool {
        var copy = self
        return copy.takeAll(where: { $0.hasPrefix("fail_if_") }).contains { key, _ in
            var rules = self
            return rules.texts(key).contains { $0.contains("\t") || $0.contains("\\t") || $0.contains("\\s") }
        }
    }
}
