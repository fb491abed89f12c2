// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What was found out about chains, so that one that nobody changed is neither verified nor put into words again: the
/// same bytes, for the same name and the same authorities, are judged the same way until one of them comes to its date.
struct TLSVerdictCache {
    struct Key: Hashable {
        let chain: ChainDigest
        let name: TLSPeerName
    }

    private static let countLimit = 16_384
    private static let sizeLimit = 16 << 20

    private var verdicts: [Key: TLSVerdict] = [:]
    private var size = 0

    /// The verdict that holds at a time.
    subscript(_ key: Key, _ time: Int64) -> TLSVerdict? {
        guard let verdict = verdicts[key], verdict.validity.contains(time) else { return nil }
        return verdict
    }

    mutating func insert(_ verdict: TLSVerdict, for key: Key) {
        if let old = verdicts.updateValue(verdict, forKey: key) { size -= old.size }
        size += verdict.size
        // Whichever comes first goes: where there are more chains than room, none deserves it more than another.
        while size > Self.sizeLimit || verdicts.count > Self.countLimit, let victim = verdicts.first {
            verdicts[victim.key] = nil
            size -= victim.value.size
        }
    }
}

extension TLSVerdict {
    /// About how many bytes it takes.
    fileprivate var size: Int {
        report.chain.reduce(1_024) { sum, certificate in
            let texts = certificate.names.reduce(0) { $0 + $1.utf8.count + 48 }
            return sum + 768 + certificate.subject.utf8.count + certificate.issuer.utf8.count + texts
        }
    }
}
