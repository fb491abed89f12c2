// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration

/// The sections `tcp` and `grpc` of a blackbox_exporter module.
enum BlackboxStreams {
    static func tcp(_ section: inout ForeignMapping?, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        guard var tcp = section else { return }
        defer { section = tcp }
        let speaksTLS = tcp.boolean("tls") ?? false
        if speaksTLS { probe.type = "tls" }
        let settings = tcp.take("tls_config")
        let steps = tcp.list("query_response")
        let start = steps.firstIndex { ForeignMapping($0)?.isTrue("starttls") ?? false }
        var dialogue = steps[...]
        if let start {
            guard let kind = startTLS(steps[..<start]) else {
                probe.pauses.append(
                    "its form of STARTTLS is not supported, and without it the certificate would not be checked"
                )
                dialogue = steps[..<start]
                return finish(dialogue, &probe, &draft)
            }
            draft.note(
                steps[start],
                "\(probe.title): `starttls: \(same: kind)` replaces the steps that lead to STARTTLS"
            )
            probe.keys.append(("starttls", .word(kind)))
            dialogue = steps[(start + 1)...]
        }
        if speaksTLS || start != nil {
            probe.takeTLS(ForeignMapping(settings), &draft)
        } else if let settings {
            draft.note(settings, "\(probe.title): tls_config has no effect without tls")
        }
        finish(dialogue, &probe, &draft)
    }

    private static func finish(
        _ steps: ArraySlice<YAMLNode>,
        _ probe: inout ImportedProbe,
        _ draft: inout ImportDraft
    ) {
        var dialogue: [YAMLText] = []
        for node in steps {
            guard var step = ForeignMapping(node) else { continue }
            if let pattern = step.text("expect"), !pattern.isEmpty {
                dialogue.append(.mapping([("expect", probe.pattern(pattern, at: node, &draft))]))
            }
            if let bytes = step.text("expect_bytes") {
                dialogue.append(.mapping([("expect", .text(bytes.literalPattern))]))
            }
            if let line = step.take("send"), let text = line.text, !text.isEmpty {
                if text.contains("${") {
                    draft.lose(
                        .condition,
                        line,
                        "\(probe.title): reachd cannot send matched text; the dialogue ends before it"
                    )
                    break
                }
                // blackbox_exporter appends a line feed to what it sends.
                probe.noteSecret(in: text, "query_response.send", &draft)
                dialogue.append(.mapping([("send", .text(text + "\n"))]))
            }
            _ = step.boolean("starttls")
            step.noteRest(of: "\(probe.title): query_response", &draft)
        }
        if !dialogue.isEmpty { probe.keys.append(("dialogue", .list(dialogue))) }
    }

    /// The protocol that switches to TLS, by what is sent before.
    private static func startTLS(_ steps: ArraySlice<YAMLNode>) -> String? {
        // blackbox_exporter appends a line feed alone: many write the carriage return.
        let sent = steps.compactMap { step in
            step["send"]?.text.map { String($0.uppercased().prefix { $0 != "\r" && $0 != "\n" && $0 != "\r\n" }) }
        }
        if sent.contains(where: { $0.hasPrefix("EHLO") }), sent.contains("STARTTLS") { return "smtp" }
        if sent.contains("STLS") { return "pop3" }
        if sent.contains("AUTH TLS") { return "ftp" }
        return sent.contains { $0.hasSuffix(" STARTTLS") } ? "imap" : nil
    }

    static func grpc(_ section: inout ForeignMapping?, _ probe: inout ImportedProbe, _ draft: inout ImportDraft) {
        guard var grpc = section else { return }
        defer { section = grpc }
        if let service = grpc.text("service"), !service.isEmpty { probe.keys.append(("service", .text(service))) }
        if let node = grpc.take("metadata"), case .mapping(let pairs) = node.content {
            let headers = pairs.compactMap { pair -> (String, YAMLText)? in
                guard let name = pair.key.text else { return nil }
                if case .sequence(let values) = pair.value.content {
                    return (name, .text(values.compactMap(\.text).joined(separator: ", ")))
                }
                return pair.value.text.map { (name, .text($0)) }
            }
            probe.takeHeaders(headers, of: "grpc.metadata", &draft)
        }
        let settings = grpc.mapping("tls_config")
        guard grpc.boolean("tls") ?? false else { return }
        probe.takeTLS(settings, &draft)
        probe.tls = probe.tls ?? []
    }
}

extension ForeignMapping {
    /// Whether a key is present and true.
    fileprivate func isTrue(_ key: String) -> Bool {
        var copy = self
        return copy.boolean(key) ?? false
    }
}
