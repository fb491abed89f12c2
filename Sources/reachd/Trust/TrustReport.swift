// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Probing
import ReachAPI
import ServerTrust

/// Renders a trust evaluation for standard output.
struct TrustReport {
    private static let nameLimit = 10

    private let listing: TrustListing
    private let verdict: TrustVerdict

    init(_ listing: TrustListing) {
        self.listing = listing
        verdict = listing.verdict
    }

    /// The lines.
    var lines: [String] { conclusion + [""] + reasons + certificates + expiries + handshake }

    // MARK: What came out

    private var conclusion: [String] {
        let subject = PrintableBytes.escape(listing.subject.utf8, limit: 512)
        if let fault = verdict.firstFault {
            return ["\(subject) is REJECTED: \(fault.code.rawValue)", "  \(fault.words)\(Self.place(fault))"]
        }
        let words =
            verdict.tolerated.isEmpty
            ? "the certificates have no faults"
            : "tolerated faults: \(verdict.tolerated.map(\.code.rawValue).uniqued.joined(separator: ", "))"
        return ["\(subject) is accepted", "  \(words)"]
    }

    private var reasons: [String] {
        let policy = listing.policy
        let rule = [
            "\(verdict.row)", "mode \(policy.pinningMode.name)",
            "invalid \(policy.allowInvalidCertificates ? "allowed" : "not allowed")",
            "names \(policy.validatesDomainName ? "checked" : "not checked")",
            policy.pins.count == 1 ? "1 pin" : "\(policy.pins.count) pins", policy.compatibility.rawValue,
        ]
        let domain = listing.domain.map { "for \(PrintableBytes.escape($0.utf8, limit: 253))" } ?? "for no domain"
        let purpose = policy.effectivePurpose == .server ? "as a TLS server's" : "for any purpose"
        let predicates = verdict.predicates
        let pinned =
            predicates.isValidAgainstPins.map { ("A valid by pins", Optional($0)) }
            ?? ("K pinned key", predicates.hasPinnedKey)
        var lines = [
            Self.row("rule", rule.joined(separator: ", ")),
            Self.row("judged", "\(domain), \(purpose), at \(TimestampFormatter.text(verdict.checkedAt))"),
            Self.row("anchors", anchors),
            "",
            Self.row("X valid", Self.answer(predicates.isValid)),
            Self.row("H name", Self.answer(predicates.matchesDomain)),
            Self.row(pinned.0, Self.answer(pinned.1)),
        ]
        if let fault = verdict.firstFault {
            lines.append(Self.row("first fault", "\(fault.code.rawValue) at depth \(fault.depth)"))
        }
        lines += Self.list("faults", verdict.faults.map { ($0.code.rawValue, $0.words + Self.place($0)) })
        lines += Self.list("tolerated", verdict.tolerated.map { ($0.code.rawValue, $0.words + Self.place($0)) })
        lines += Self.list("warnings", verdict.warnings.map { ($0.rawValue, $0.words) })
        return lines
    }

    private var anchors: String {
        let places = listing.anchors.isEmpty ? TrustAnchors.systemPlaces : listing.anchors
        let text = places.map { PrintableBytes.escape($0.utf8, limit: 512) }.joined(separator: ", ")
        return listing.anchors.isEmpty ? "the system's: \(text)" : text
    }

    // MARK: Certificates

    private var certificates: [String] {
        let sent = verdict.sentChain
        let shown = verdict.sentCount > sent.count ? ", the first \(sent.count) shown" : ""
        var lines = ["", "chain sent (\(verdict.sentCount)\(shown))"]
        for (index, certificate) in sent.enumerated() { lines += describe(certificate, index) }
        lines += ["", "chain built (\(verdict.builtChain.count))"]
        for (index, certificate) in verdict.builtChain.enumerated() {
            if let position = sent.firstIndex(where: { $0.fingerprint == certificate.fingerprint }) {
                lines.append("  \(index)  \(Self.name(certificate))  (sent as \(position))")
            } else {
                lines += describe(certificate, index)
            }
        }
        return lines
    }

    private func describe(_ certificate: Certificate, _ index: Int) -> [String] {
        let algorithms = [certificate.key, certificate.signatureAlgorithm].filter { !$0.isEmpty }
        let kind = certificate.isAuthority ? ", authority" : ""
        var lines = ["  \(index)  \(Self.name(certificate))  (\(algorithms.joined(separator: ", "))\(kind))"]
        func add(_ name: String, _ text: String) { lines.append("     \(Self.padded(name, 7))\(text)") }
        add("issuer", certificate.issuer.isEmpty ? "(empty)" : certificate.issuer)
        if certificate.nameCount > 0 {
            let names = certificate.names.prefix(Self.nameLimit)
            let rest = certificate.nameCount - names.count
            add("names", names.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : ""))
        }
        let dates = [certificate.notBefore, certificate.notAfter].map {
            $0.map(TimestampFormatter.text) ?? "unreadable"
        }
        let end = certificate.notAfter.map { " (\(TimestampFormatter.end(of: $0, at: verdict.checkedAt)))" } ?? ""
        add("valid", "\(dates[0]) … \(dates[1])\(end)")
        add("sha256", certificate.fingerprint)
        add("pin", certificate.pin ?? "none: the key cannot be read")
        return lines
    }

    private var expiries: [String] {
        let expiry = verdict.expiry
        let ends = [
            ("leaf", expiry.leaf), ("earliest sent", expiry.earliestSent), ("verified chain", expiry.verifiedChain),
            ("pins", expiry.pins),
        ]
        return ["", "ends"]
            + ends.map { name, end in
                Self.row(
                    name,
                    end.map {
                        "\(TimestampFormatter.text($0)) (\(TimestampFormatter.end(of: $0, at: verdict.checkedAt)))"
                    } ?? "–"
                )
            }
    }

    // MARK: The handshake

    private var handshake: [String] {
        guard let handshake = listing.handshake else { return [] }
        let report = handshake.report
        var lines = [
            "",
            "tls \(report.version) \(report.cipher ?? "–")  alpn \(report.applicationProtocol ?? "–")"
                + "  stapled OCSP \(report.staple?.status.rawValue ?? "–")  from \(handshake.address)",
        ]
        if let failure = handshake.failure {
            lines.append("  the handshake failed nevertheless: \(handshake.detail) (\(failure.rawValue))")
        }
        return lines
    }

    // MARK: Forms

    private static func row(_ name: String, _ text: String) -> String { "  \(padded(name, 17))\(text)" }

    private static func list(_ title: String, _ entries: [(code: String, words: String)]) -> [String] {
        guard !entries.isEmpty else { return [row(title, "none")] }
        let width = (entries.map(\.code.count).max() ?? 0) + 2
        return ["  \(title)"] + entries.map { "    \(padded($0.code, width))\($0.words)" }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func answer(_ value: Bool?) -> String { value.map { $0 ? "yes" : "no" } ?? "–" }

    private static func name(_ certificate: Certificate) -> String {
        certificate.subject.isEmpty ? "(no subject)" : certificate.subject
    }

    private static func place(_ fault: TrustFault) -> String {
        fault.depth == 0 ? "" : " (certificate \(fault.depth) of the chain built)"
    }
}

extension Sequence where Element: Hashable {
    /// Each element where it comes first.
    fileprivate var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
