// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// Another certificate of a target, in the log.
struct CertificateEntry: Sendable, Hashable {
    /// The target, and in the reason what is different.
    var change: StateChange
    /// The fingerprint of the certificate before.
    let previous: String
    /// The fingerprint of the one now.
    let current: String
    /// Whether the issuer or the names are others, so that it is more than a renewal.
    let isReplacement: Bool

    /// Reads an event; nil for any other.
    init?(_ event: RecordedEvent, epoch: String) {
        guard event.type == .certificate, let change = StateChange(declaration: event, epoch: epoch) else { return nil }
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
        isReplacement = !changed.isDisjoint(with: ["issuer", "names"])
        let head = isReplacement ? "The certificate was replaced" : "The certificate was renewed"
        self.change = change
        self.change.explain(
            isReplacement ? "certificate_replaced" : "certificate_renewed",
            parts.isEmpty ? head : "\(head): \(parts.joined(separator: ", "))"
        )
        previous = text("fingerprint_sha256", of: "old") ?? ""
        current = text("fingerprint_sha256", of: "new") ?? ""
    }
}

extension Message {
    /// Another certificate of a target. One with another issuer or other names is a warning.
    init(_ entry: CertificateEntry) {
        self.init(
            kind: .certificate,
            id: entry.change.id.description,
            at: entry.change.at,
            status: .info,
            severity: entry.isReplacement ? .warning : .info,
            changes: [entry.change],
            count: 1,
            causes: [:],
            covers: SequenceSet(entry.change.sequence...entry.change.sequence)
        )
    }
}
