// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// The path from a server's certificate to an anchor, or as far as it can be built, and its faults (S13, S14).
@safe final class TrustPath {
    /// The path's certificates (`STACK_OF(X509) *`); nil when verification was impossible.
    private let certificates: OpaquePointer?
    /// The faults, except for names.
    let faults: [TrustFault]
    /// The number of certificates that count: each was signed by the next, which may sign.
    let count: Int

    /// Builds and verifies the path.
    ///
    /// - Parameter time: In seconds since 1970.
    init(_ chain: CertificateChain, to anchors: TrustAnchors, _ rules: CertificateRules, at time: Int64) {
        var found: Set<TrustFault> = []
        unsafe certificates = unsafe withUnsafeMutablePointer(to: &found) { found in
            unsafe reachd_tls_verify(chain.certificates, anchors.store, time, found) { context, problem, depth in
                guard let found = unsafe context?.assumingMemoryBound(to: Set<TrustFault>.self) else { return }
                unsafe found.pointee.insert(TrustFault(problem: problem, depth: depth))
            }
        }
        guard let path = unsafe certificates else {
            found.insert(
                TrustFault(.other, words: "the chain cannot be verified: out of memory, or the chain is too large")
            )
            faults = found.sorted()
            count = 0
            return
        }
        let isAnchored = !found.contains { $0.code == .selfSigned || $0.code == .untrustedRoot }
        // Drop faults that OpenSSL has reported already.
        let verified = found
        let others = unsafe rules.faults(in: path, isAnchored: isAnchored).filter { fault in
            !verified.contains { $0.code == fault.code && $0.depth == fault.depth }
        }
        found.formUnion(others)
        faults = found.sorted()
        count = unsafe Self.length(of: path, with: found)
    }

    deinit {
        unsafe reachd_tls_chain_free(certificates)
    }

    /// Whether there are no faults.
    var isValid: Bool { faults.isEmpty }

    /// The keys of the certificates that count (S12, S34).
    private(set) lazy var publicKeys = unsafe each { unsafe CertificateReader.publicKeyDigest(of: $0) }

    /// Returns the fields of the certificates that count.
    func descriptions(reusing known: [Certificate]) -> [Certificate] {
        unsafe each { certificate in
            let fingerprint = unsafe CertificateReader.fingerprint(of: certificate)
            return unsafe known.first { $0.fingerprint == fingerprint } ?? CertificateReader.read(certificate)
        }
    }

    /// Returns the earliest expiry of these certificates, and how long their validity stays as it is at `time`.
    func dates(at time: Int64) -> reachd_tls_dates? {
        guard let path = unsafe certificates else { return nil }
        return unsafe reachd_tls_chain_dates(path, time)
    }

    private func each<Value>(_ body: (OpaquePointer) -> Value?) -> [Value] {
        guard let path = unsafe certificates else { return [] }
        return (0..<count).compactMap { index in
            guard let certificate = unsafe reachd_tls_chain_certificate(path, index) else { return nil }
            return unsafe body(certificate)
        }
    }

    /// All faults must be passed here: a limit would let an attacker hide the decisive one among others.
    ///
    /// Issuers are found by name, and anybody can forge a name. The path therefore ends where a signature does not
    /// match or the issuer may not sign; otherwise an attacker's certificate could borrow a pinned authority's key
    /// (S14).
    private static func length(of path: OpaquePointer, with faults: Set<TrustFault>) -> Int {
        faults.reduce(unsafe reachd_tls_chain_count(path)) { length, fault in
            switch fault.code {
            case .badSignature, .weakSignature, .nameConstraint: min(length, fault.depth + 1)
            case .notAnAuthority, .pathTooLong, .weakKey: min(length, max(fault.depth, 1))
            // An issuer with an unreadable key has signed nothing, and other faults of this kind prove nothing either.
            case .other: 1
            default: length
            }
        }
    }
}
