// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO

/// One evaluation of a chain (S7–S14): its faults, which of them are decisive, and the resulting verdict.
struct TrustEvaluation {
    private static let faultLimit = 16
    private static let chainLimit = 10
    /// The system's anchors can change undetected in a subdirectory, so no verdict is valid for longer than an hour.
    private static let longestValidity: Int64 = 3_600

    private let policy: SecurityPolicy
    private let chain: CertificateChain
    private let domain: String?
    private let time: Int64
    private let path: TrustPath
    /// The path with the pins as the only anchors; nil unless certificates are pinned.
    private let pinnedPath: TrustPath?
    private let name: NameCheck.Outcome?
    private let pinnedKeys: Set<PublicKeyDigest>
    private let sent: [Certificate]
    private let hasPinnedKey: Bool

    /// - Parameters:
    ///   - pinAnchors: The pins as anchors; nil when no pin is a certificate.
    ///   - time: In seconds since 1970.
    init(
        _ policy: SecurityPolicy,
        _ chain: CertificateChain,
        domain: String?,
        at time: Int64,
        anchors: TrustAnchors,
        pinAnchors: TrustAnchors?
    ) {
        self.policy = policy
        self.chain = chain
        self.domain = domain
        self.time = time
        path = TrustPath(chain, to: anchors, CertificateRules(policy, isSystemAnchored: anchors.areSystem), at: time)
        pinnedPath =
            policy.pinningMode == .certificate
            ? pinAnchors.map {
                TrustPath(chain, to: $0, CertificateRules(policy, isSystemAnchored: false), at: time)
            } : nil
        pinnedKeys = policy.pins.publicKeys
        sent = chain.descriptions
        hasPinnedKey = policy.pinningMode == .publicKey && path.publicKeys.contains(where: pinnedKeys.contains)
        let leaf = unsafe reachd_tls_chain_certificate(chain.certificates, 0)
        name = domain.map { domain in
            unsafe leaf.map {
                unsafe NameCheck.compare($0, with: domain, allowsCommonName: policy.allowsCommonName)
            } ?? .differs
        }
    }

    private var isNamed: Bool { !policy.validatesDomainName || name != .differs }

    private var predicates: TrustPredicates {
        TrustPredicates(
            isValid: path.isValid,
            matchesDomain: name.map { $0 != .differs },
            hasPinnedKey: policy.pinningMode == .publicKey ? hasPinnedKey : nil,
            isValidAgainstPins: policy.pinningMode == .certificate ? pinnedPath?.isValid == true && isNamed : nil
        )
    }

    var verdict: TrustVerdict {
        let predicates = predicates
        let row = TruthTable(policy)
        let isAccepted = row.accepts(predicates, compatibility: policy.compatibility)
        let pinFaults = pinFaults
        let split = split(row, predicates, pinFaults)
        let decisive = pinnedPath ?? path
        let sentDates = unsafe reachd_tls_chain_dates(chain.certificates, time)
        let dates = [sentDates] + [path, pinnedPath].compactMap { $0?.dates(at: time) }
        return TrustVerdict(
            isAccepted: isAccepted,
            row: row,
            predicates: predicates,
            faults: Array(split.decisive.sorted().prefix(Self.faultLimit)),
            tolerated: Array(split.tolerated.sorted().prefix(Self.faultLimit)),
            warnings: warnings(row, predicates, pinFaults, isAccepted: isAccepted),
            sentChain: sent,
            sentCount: chain.count,
            builtChain: Array(decisive.descriptions(reusing: sent).prefix(Self.chainLimit)),
            expiry: TrustExpiry(
                leaf: sent.first?.notAfter,
                earliestSent: Self.known(sentDates.expiry),
                verifiedChain: decisive.isValid ? decisive.dates(at: time).flatMap { Self.known($0.expiry) } : nil,
                pins: policy.pins.expiry(in: policy.pinningMode)
            ),
            checkedAt: time,
            validity: validity(of: dates)
        )
    }

    // MARK: Faults

    /// Splits the faults into decisive and tolerated ones. `decisive` is empty exactly when the row accepts.
    private func split(
        _ row: TruthTable,
        _ predicates: TrustPredicates,
        _ pinFaults: [TrustFault]
    ) -> (decisive: [TrustFault], tolerated: [TrustFault]) {
        var decisive: [TrustFault] = []
        var tolerated: [TrustFault] = []
        func add(_ faults: [TrustFault], decides: Bool) {
            if decides { decisive += faults } else { tolerated += faults }
        }
        let mode = policy.reportsPinsOnly ? .none : policy.pinningMode
        let allows = policy.allowInvalidCertificates
        if row.needsPins(hasDomain: domain != nil) {
            let words = "checking host names while invalid certificates are allowed requires pins"
            decisive.append(TrustFault(.nameCheckNeedsPins, words: words))
        }
        add(path.faults, decides: !allows)
        let checksName = !allows || mode == .certificate || mode == .publicKey && policy.compatibility == .strict
        add(nameFaults, decides: policy.validatesDomainName && checksName)
        add(pinFaults, decides: mode != .none)
        return (decisive, tolerated.filter { !decisive.contains($0) })
    }

    private var nameFaults: [TrustFault] {
        guard name == .differs, let domain else { return [] }
        let names = sent.first?.names.prefix(3).map { String($0.prefix(80)) } ?? []
        let asked = PrintableBytes.escape(domain.utf8, limit: 253)
        return [TrustFault(.hostnameMismatch, words: Self.mismatch(of: names, with: asked))]
    }

    static func mismatch(of names: [String], with asked: String) -> String {
        if names.isEmpty { return "the certificate names no host, not \(asked)" }
        // RFC 6125, section 6.5: an address counts as an address alone.
        if names.contains(asked) { return "the certificate has \(asked) as a host name, not as an address" }
        return "the certificate is for \(names.joined(separator: ", ")), not \(asked)"
    }

    private var pinFaults: [TrustFault] {
        guard policy.pinningMode != .none else { return [] }
        guard !policy.pins.isEmpty else { return [TrustFault(.noPins, words: "the policy has no pins")] }
        guard policy.pinningMode == .certificate else {
            return hasPinnedKey ? [] : [TrustFault(.pinMismatch, words: "no key in the chain is pinned")]
        }
        let mismatch = TrustFault(.pinMismatch, words: "the chain does not lead to a pinned certificate")
        guard let pinnedPath else { return [mismatch] }
        // The pins are the only anchors here: a missing anchor is a missing pin.
        return pinnedPath.faults.map { $0.code == .selfSigned || $0.code == .untrustedRoot ? mismatch : $0 }
            .filter { !path.faults.contains($0) || policy.allowInvalidCertificates }
    }

    private func warnings(
        _ row: TruthTable,
        _ predicates: TrustPredicates,
        _ pinFaults: [TrustFault],
        isAccepted: Bool
    ) -> [TrustWarning] {
        var warnings: [TrustWarning] = []
        let other: TrustCompatibility = policy.compatibility == .strict ? .afnetworking : .strict
        if row.accepts(predicates, compatibility: other) != isAccepted { warnings.append(.compatibilityDiffers) }
        let isPinned = policy.pinningMode != .none
        if isPinned, policy.reportsPinsOnly, !pinFaults.isEmpty { warnings.append(.pinMismatchReported) }
        if isPinned, !pinnedKeys.isEmpty {
            let used = Set((pinnedPath ?? path).publicKeys)
            if pinnedKeys.isSubset(of: used) { warnings.append(.noBackupPin) }
        }
        if !isPinned, !policy.pins.isEmpty { warnings.append(.pinsUnused) }
        if isPinned, let end = policy.pins.expiry(in: policy.pinningMode), end <= time { warnings.append(.pinsExpired) }
        if name == .matchesCommonName { warnings.append(.commonNameUsed) }
        return warnings
    }

    // MARK: Dates

    /// Returns the period in which the verdict is valid.
    private func validity(of dates: [reachd_tls_dates]) -> Range<Int64> {
        let pins = policy.pins.expiry(in: policy.pinningMode) ?? .max
        let (end, overflow) = time.addingReportingOverflow(Self.longestValidity)
        let from = dates.reduce(pins <= time ? pins : .min) { max($0, $1.stable_from) }
        let until = dates.reduce(overflow ? .max : end) { min($0, $1.stable_until) }
        return min(from, time)..<max(min(until, pins > time ? pins : .max), min(from, time))
    }

    private static func known(_ expiry: Int64) -> Int64? { expiry == .max ? nil : expiry }
}
