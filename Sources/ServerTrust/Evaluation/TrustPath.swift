// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

/// The path from a server's certificate to an anchor, or as far as there is one, and what is wrong with it (S13, S14).
@safe final class TrustPath {
    /// The path's certificates (`STACK_OF(X509) *`); nil when nothing could be verified.
    private let certificates: OpaquePointer?
    /// What is wrong, names aside.
    let faults: [TrustFault]
    /// How many of the certificates count: up to the last whose signature the one before has, and may have.
    let count: Int

    /// Builds and verifies it.
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
                TrustFault(.other, words: "the chain cannot be verified: there is no memory, or far too much in it")
            )
            faults = found.sorted()
            count = 0
            return
        }
        let isAnchored = !found.contains { $0.code == .selfSigned || $0.code == .untrustedRoot }
        // Where OpenSSL has said the same, once is enough.
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

    /// Whether nothing is wrong.
    var isValid: Bool { faults.isEmpty }

    /// The keys of the certificates that count (S12, S34).
    private(set) lazy var publicKeys = unsafe each { unsafe CertificateReader.publicKeyDigest(of: $0) }

    /// What the certificates that count say.
    func descriptions(reusing known: [Certificate]) -> [Certificate] {
        unsafe each { certificate in
            let fingerprint = unsafe CertificateReader.fingerprint(of: certificate)
            return unsafe known.first { $0.fingerprint == fingerprint } ?? CertificateReader.read(certificate)
        }
    }

    /// When the first of them ends, and how long it stays so.
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

    /// No fault may be left out here, however many there are: a stranger could hide the one that counts among others.
    ///
    /// Issuers are found by their names, which anybody can write into a certificate: where a signature does not fit, or
    /// whoever signed may not, the path ends, or a stranger's certificate would carry a pinned authority's key (S14).
    private static func length(of path: OpaquePointer, with faults: Set<TrustFault>) -> Int {
        faults.reduce(unsafe reachd_tls_chain_count(path)) { length, fault in
            switch fault.code {
            case .badSignature, .weakSignature, .nameConstraint: min(length, fault.depth + 1)
            case .notAnAuthority, .pathTooLong, .weakKey: min(length, max(fault.depth, 1))
            // An issuer whose key cannot be read has signed nothing, and what else there may be is nothing to build on.
            case .other: 1
            default: length
            }
        }
    }
}
