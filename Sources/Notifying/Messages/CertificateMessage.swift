// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

extension StateChange {
    /// Takes in what a `certificate` event says is different.
    mutating func takeCertificate(_ event: RecordedEvent) {
        let members = try? JSONReader.members(of: event.data)
        let names = members?["changed"].flatMap { try? JSONReader.elements(of: Array($0)) } ?? []
        let changed = Set(names.compactMap { try? JSONReader.text(of: $0) })
        func text(_ key: String, of object: String) -> String? {
            let parts = members?[object].flatMap { try? JSONReader.members(of: Array($0)) }
            return parts?[key].flatMap { try? JSONReader.text(of: $0) }
        }
        var parts: [String] = []
        if changed.contains("issuer") {
            parts.append("issued by \(text("issuer", of: "new") ?? "?"), before by \(text("issuer", of: "old") ?? "?")")
        }
        if changed.contains("names") { parts.append("for other names") }
        if changed.contains("public_key") { parts.append("with another key") }
        if let end = text("not_after", of: "new") { parts.append("valid until \(end.prefix(10))") }
        let isRenewal = changed.isDisjoint(with: ["issuer", "names"])
        let head = isRenewal ? "The certificate was renewed" : "The certificate was replaced"
        explain(
            isRenewal ? "certificate_renewed" : "certificate_replaced",
            parts.isEmpty ? head : "\(head): \(parts.joined(separator: ", "))"
        )
    }
}

extension Message {
    /// Another certificate of a target. One with another issuer or other names is a warning.
    init(certificate change: StateChange) {
        self.init(
            kind: .certificate,
            id: change.id.description,
            at: change.at,
            status: .info,
            severity: change.reason == "certificate_replaced" ? .warning : .info,
            changes: [change],
            count: 1,
            causes: [:],
            covers: SequenceSet(change.sequence...change.sequence)
        )
    }
}
