// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
package import LinuxIO
import Synchronization

/// A policy with its anchors, which remembers what it said: the same certificates are judged the same way until one of
/// them comes to its date. Any thread.
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
    ///   - anchors: What leads to valid certificates.
    ///   - cache: Where verdicts are kept; one of its own if there is none to share.
    /// - Throws: ``TrustError`` when there is no memory.
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
    ///   - chain: What the server sent.
    ///   - domain: Whom its certificate should be for: a name or an address; nil: nobody in particular.
    ///   - time: When, in seconds since 1970.
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
    /// Evaluates a chain once; whoever does so again and again keeps a ``TrustEvaluator``. Any thread.
    ///
    /// - Parameters:
    ///   - chain: What the server sent.
    ///   - domain: Whom its certificate should be for: a name or an address; nil: nobody in particular.
    ///   - time: When, in seconds since 1970.
    ///   - anchors: What leads to valid certificates.
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
    /// What certificates are read and judged with, and probes speak TLS with.
    package static var openSSL: SystemLibrary {
        SystemLibrary(
            "OpenSSL",
            version: unsafe String(cString: reachd_tls_library_version()),
            supported: [Series("3.0", "3.5")]
        )
    }
}
