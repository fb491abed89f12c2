// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// What was found out about chains, so that one that nobody changed is neither verified nor put into words again: the
/// same bytes, for the same domain and by the same evaluator, are judged the same way until one of them comes to its
/// date. Evaluators may share one. Any thread.
public final class TrustVerdictCache: Sendable {
    struct Key: Hashable {
        /// Each evaluator has a number of its own.
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
    /// - Parameter sizeLimit: About how many bytes it may take.
    public init(sizeLimit: Int = 16 << 20) {
        self.sizeLimit = sizeLimit
    }

    /// The verdict that holds at a time.
    subscript(_ key: Key, _ time: Int64) -> TrustVerdict? {
        guard var verdict = contents.withLock({ $0.verdicts[key] }), verdict.validity.contains(time) else { return nil }
        verdict.checkedAt = time
        return verdict
    }

    func insert(_ verdict: TrustVerdict, for key: Key) {
        contents.withLock { contents in
            if let old = contents.verdicts.updateValue(verdict, forKey: key) { contents.size -= old.size }
            contents.size += verdict.size
            // Whichever comes first goes: where there are more chains than room, none deserves it more than another.
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
    /// About how many bytes it takes.
    fileprivate var size: Int {
        (sentChain + builtChain).reduce(1_024) { sum, certificate in
            let texts = certificate.names.reduce(0) { $0 + $1.utf8.count + 48 }
            return sum + 768 + certificate.subject.utf8.count + certificate.issuer.utf8.count + texts
        }
    }
}
