// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// The policy's requirements for the certificates of a path beyond OpenSSL's verification (S21, S22).
struct CertificateRules {
    private let purpose: TrustPurpose
    private let allowsWeak: Bool
    private let limitsLifetime: Bool
    private let isSystemAnchored: Bool

    /// - Parameter isSystemAnchored: Whether the path uses the system's anchors, which have stricter lifetime limits.
    init(_ policy: SecurityPolicy, isSystemAnchored: Bool) {
        purpose = policy.effectivePurpose
        allowsWeak = policy.allowsWeakCertificates
        limitsLifetime = policy.limitsLifetime
        self.isSystemAnchored = isSystemAnchored
    }

    /// Returns the faults of a path, the server's certificate first.
    ///
    /// - Parameter isAnchored: Whether its last certificate is a trust anchor.
    func faults(in path: OpaquePointer, isAnchored: Bool) -> [TrustFault] {
        var faults: [TrustFault] = []
        let count = unsafe reachd_tls_chain_count(path)
        for depth in 0..<count {
            guard let certificate = unsafe reachd_tls_chain_certificate(path, depth) else { continue }
            let facts = unsafe reachd_tls_read_facts(certificate)
            let isAnchor = isAnchored && depth == count - 1
            // OpenSSL accepts legacy CA markers; RFC 5280 and Apple require basic constraints.
            if depth > 0, !isAnchor, unsafe facts.authority > 1 {
                faults.append(
                    TrustFault(
                        .notAnAuthority,
                        depth: depth,
                        words: "the issuer is not marked as a CA (basic constraints)"
                    )
                )
            }
            guard purpose == .server else { continue }
            unsafe faults += purposeFaults(facts, depth, isAnchor: isAnchor)
            if !allowsWeak { unsafe faults += strengthFaults(facts, depth, isAnchor: isAnchor) }
        }
        if purpose == .server, limitsLifetime, let leaf = unsafe reachd_tls_chain_certificate(path, 0) {
            unsafe faults += lifetimeFaults(leaf)
        }
        return faults
    }

    private func purposeFaults(_ facts: reachd_tls_facts, _ depth: Int, isAnchor: Bool) -> [TrustFault] {
        var faults: [TrustFault] = []
        let servers = [reachd_tls_purpose_server, reachd_tls_purpose_gated, reachd_tls_purpose_any]
        let purposes = unsafe facts.purposes
        // An anchor is exempt, except where it is also the server's own certificate.
        if purposes != .max, depth == 0 || !isAnchor, !servers.contains(where: { purposes & $0.rawValue != 0 }) {
            let whose = depth == 0 ? "the" : "the CA's"
            faults.append(TrustFault(.wrongPurpose, depth: depth, words: "\(whose) key usage excludes TLS servers"))
        }
        let uses = [
            reachd_tls_usage_digital_signature, reachd_tls_usage_key_encipherment, reachd_tls_usage_key_agreement,
        ]
        let usage = unsafe facts.usage
        if depth == 0, usage != .max, !uses.contains(where: { usage & $0.rawValue != 0 }) {
            faults.append(TrustFault(.wrongPurpose, words: "the key usage does not allow TLS"))
        }
        return faults
    }

    /// Requires RSA from 2,048 bits, elliptic curves from P-256 and unforgeable signatures. An anchor's own signature
    /// proves nothing and is not checked.
    private func strengthFaults(_ facts: reachd_tls_facts, _ depth: Int, isAnchor: Bool) -> [TrustFault] {
        var faults: [TrustFault] = []
        let bits = unsafe facts.key_bits
        let key = unsafe facts.key.map { unsafe String(cString: $0) }
        let leastBits: Int32? =
            switch key {
            case "RSA", "RSASSA-PSS": 2_048
            case "EC": 256
            case "ED25519", "ED448": 0
            default: nil
            }
        if let key, let leastBits {
            if bits < leastBits {
                let words = "the key is too short: \(key) of \(bits) bits, minimum \(leastBits)"
                faults.append(TrustFault(.weakKey, depth: depth, words: words))
            }
        } else {
            let words = key.map { "unknown key algorithm \($0)" } ?? "the key cannot be read"
            faults.append(TrustFault(.weakKey, depth: depth, words: words))
        }
        let strength = unsafe facts.signature_strength
        // 112 bits: SHA-224 and better (NIST SP 800-57); SHA-1 and MD5 are weaker.
        if !isAnchor, strength < 112 {
            let name = unsafe String(cString: facts.signature)
            faults.append(
                TrustFault(.weakSignature, depth: depth, words: "signatures with \(name) can be forged")
            )
        }
        return faults
    }

    private func lifetimeFaults(_ leaf: OpaquePointer) -> [TrustFault] {
        guard let validity = unsafe CertificateReader.validity(of: leaf) else { return [] }
        let limit: Int64? =
            switch (isSystemAnchored, validity.notBefore) {
            case (true, Self.september2020...): 398
            case (true, Self.march2018...), (false, Self.july2019...): 825
            default: nil
            }
        let (lifetime, overflow) = validity.notAfter.subtractingReportingOverflow(validity.notBefore)
        guard let limit, overflow || lifetime > limit * 86_400 else { return [] }
        return [TrustFault(.lifetimeTooLong, words: "the validity period exceeds \(limit) days")]
    }

    private static let march2018: Int64 = 1_519_862_400
    private static let july2019: Int64 = 1_561_939_200
    private static let september2020: Int64 = 1_598_918_400
}
