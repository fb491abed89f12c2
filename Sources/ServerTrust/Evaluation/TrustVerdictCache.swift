// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A cache of verdicts, so that an unchanged chain is not verified again. A verdict is reused for the same bytes,
/// domain and evaluator until a certificate's validity changes. Evaluators may share a cache. Any thread.
public final class TrustVerdictCache: Sendable {
    struct Key: Hashable {
        /// The evaluator's unique number.
        let evaluator: UInt64
        let chain: ChainDigest
        let domain: String?
    }

    private struct Contents {
        var verdicts: [Key: TrustVerdict] = [:]
        var size = 0
    }

    private static let countLimit = 16_384
    private let sizeLimit: Int
    private let contents = Mutex(Contents())

    /// Creates an empty cache.
    ///
    /// - Parameter sizeLimit: The approximate limit in bytes.
    public init(sizeLimit: Int = 16 << 20) {
        self.sizeLimit = sizeLimit
    }

    /// Returns the verdict that is valid at a time.
    subscript(_ key: Key, _ time: Int64) -> TrustVerdict? {
        guard var verdict = contents.withLock({ $0.verdicts[key] }), verdict.validity.contains(time) else { return nil }
        verdict.checkedAt = time
        return verdict
    }

    func insert(_ verdict: TrustVerdict, for key: Key) {
        contents.withLock { contents in
            if let old = contents.verdicts.updateValue(verdict, forKey: key) { contents.size -= old.size }
            contents.size += verdict.size
            // Any entry may be evicted: once chains outnumber the room, none is worth more than another.
            while contents.size > sizeLimit || contents.verdicts.count > Self.countLimit,
                let victim = contents.verdicts.first
            {
                contents.verdicts[victim.key] = nil
                contents.size -= victim.value.size
            }
        }
    }
}

extension TrustVerdict {
    /// The approximate size in bytes.
    fileprivate var size: Int {
        (sentChain + builtChain).reduce(1_024) { sum, certificate in
            let texts = certificate.names.reduce(0) { $0 + $1.utf8.count + 48 }
            return sum + 768 + certificate.subject.utf8.count + certificate.issuer.utf8.count + texts
        }
    }
}
