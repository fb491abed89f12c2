// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
package import LinuxIO
import Synchronization

/// Evaluates chains by a policy and its anchors, and caches the verdicts until a certificate's validity changes. Any
/// thread.
public final class TrustEvaluator: Sendable {
    /// The policy.
    public let policy: SecurityPolicy
    private let anchors: TrustAnchors
    private let pinAnchors: TrustAnchors?
    private let cache: TrustVerdictCache
    private let number = TrustEvaluator.count.add(1, ordering: .relaxed).newValue
    private static let count = Atomic<UInt64>(0)

    /// Creates an evaluator.
    ///
    /// - Parameters:
    ///   - policy: The policy.
    ///   - anchors: The trust anchors.
    ///   - cache: The verdict cache; by default the evaluator has its own.
    /// - Throws: ``TrustError`` when out of memory.
    public init(
        _ policy: SecurityPolicy,
        anchors: TrustAnchors,
        cache: TrustVerdictCache = TrustVerdictCache()
    ) throws(TrustError) {
        self.cache = cache
        self.policy = policy
        self.anchors = anchors
        pinAnchors = try TrustAnchors(policy.pins)
    }

    /// Evaluates a chain.
    ///
    /// - Parameters:
    ///   - chain: The chain that the server sent.
    ///   - domain: The host name or address that the certificate must be valid for; nil skips the check.
    ///   - time: The time of evaluation, in seconds since 1970.
    public func evaluate(_ chain: CertificateChain, domain: String?, at time: Int64) -> TrustVerdict {
        guard let digest = unsafe CertificateReader.digest(ofChain: chain.certificates) else {
            return judge(chain, domain, time)
        }
        let key = TrustVerdictCache.Key(evaluator: number, chain: digest, domain: domain)
        if let known = cache[key, time] { return known }
        let verdict = judge(chain, domain, time)
        cache.insert(verdict, for: key)
        return verdict
    }

    private func judge(_ chain: CertificateChain, _ domain: String?, _ time: Int64) -> TrustVerdict {
        TrustEvaluation(policy, chain, domain: domain, at: time, anchors: anchors, pinAnchors: pinAnchors).verdict
    }
}

extension SecurityPolicy {
    /// Evaluates a chain once; use a ``TrustEvaluator`` for repeated evaluations. Any thread.
    ///
    /// - Parameters:
    ///   - chain: The chain that the server sent.
    ///   - domain: The host name or address that the certificate must be valid for; nil skips the check.
    ///   - time: The time of evaluation, in seconds since 1970.
    ///   - anchors: The trust anchors.
    public func evaluate(
        _ chain: CertificateChain,
        domain: String?,
        at time: Int64,
        anchors: TrustAnchors
    ) throws(TrustError) -> TrustVerdict {
        try TrustEvaluator(self, anchors: anchors).evaluate(chain, domain: domain, at: time)
    }
}

extension SystemLibrary {
    /// OpenSSL, which reads and verifies certificates and provides TLS for probes.
    package static var openSSL: SystemLibrary {
        SystemLibrary(
            "OpenSSL",
            version: unsafe String(cString: reachd_tls_library_version()),
            supported: [Series("3.0", "3.5")]
        )
    }
}
