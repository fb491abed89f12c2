// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import ServerTrust

/// What an evaluator remembers is what it would say anew.
@Suite("TrustEvaluator and TrustVerdictCache")
struct TrustEvaluatorTests {
    private static let chains = [
        ["leaf", "intermediate"], ["short-lived", "intermediate"], ["expired", "intermediate"],
        ["not-yet-valid", "intermediate"], ["under-expired", "expired-intermediate"],
        ["leaf", "intermediate", "cross-root", "expired-intermediate"], ["self-san"],
    ]

    /// Every policy that looks at dates in a way of its own.
    private static func policies() throws -> [SecurityPolicy] {
        var reviewed = try Fixture.pins("short-lived", "self-san")
        reviewed.reviewDate = FixtureDate.shortLivedBegins + 1_000
        let invalid = { (policy: inout SecurityPolicy) in policy.allowInvalidCertificates = true }
        return [
            .default, .permissive,
            try makePolicy(.publicKey, pins: reviewed, invalid),
            try makePolicy(.certificate, pins: Fixture.pins("short-lived", "expired-intermediate"), invalid),
            try makePolicy(.certificate, pins: Fixture.pins("intermediate", "expired")),
        ]
    }

    /// The moments around which something changes, in an order of no sense.
    private static func times(_ generator: inout SeededGenerator) -> [Int64] {
        var times = FixtureDate.all + [FixtureDate.shortLivedBegins + 1_000]
        times = times.flatMap { [$0 - 3_600, $0 - 1, $0, $0 + 1, $0 + 3_599, $0 + 3_600] }
        times += (0..<20).map { _ in
            Int64.random(
                in: FixtureDate.beginning - 10_000_000...FixtureDate.endOfRoots + 10_000_000,
                using: &generator
            )
        }
        return times.shuffled(using: &generator)
    }

    @Test("Around every date of a certificate or a pin, the cached verdict equals a new one", arguments: 0..<5)
    func sameAsFresh(index: Int) throws {
        var generator = SeededGenerator(seed: UInt64(index))
        let policy = try Self.policies()[index]
        let anchors = try Fixture.anchors("root", "cross-root", "other-root")
        let evaluator = try TrustEvaluator(policy, anchors: anchors)
        for names in Self.chains {
            let chain = try CertificateChain(files: names.map { Fixture.path($0) })
            for time in Self.times(&generator) {
                let known = evaluator.evaluate(chain, domain: "good.test", at: time)
                let fresh = try policy.evaluate(chain, domain: "good.test", at: time, anchors: anchors)
                #expect(known.withoutValidity == fresh.withoutValidity, "\(names) at \(time)")
                #expect(known.validity.contains(time), "\(names) at \(time)")
            }
        }
    }

    @Test("A verdict is cached for an hour")
    func remembers() throws {
        let evaluator = try TrustEvaluator(.default, anchors: Fixture.anchors("root"))
        // The same bytes are the same chain, whoever read them.
        let first = try evaluator.evaluate(Fixture.chain("leaf", "intermediate"), domain: "good.test", at: Fixture.time)
        let later = Fixture.time + 3_599
        let second = try evaluator.evaluate(Fixture.chain("leaf", "intermediate"), domain: "good.test", at: later)
        #expect(second.validity == first.validity)
        #expect(second.checkedAt == later)
        let third = try evaluator.evaluate(Fixture.chain("leaf", "intermediate"), domain: "good.test", at: later + 1)
        #expect(third.validity != first.validity)
        let other = try evaluator.evaluate(Fixture.chain("leaf", "intermediate"), domain: "localhost", at: later + 2)
        #expect(other.validity != third.validity)
    }

    @Test("Evaluators that share a cache do not mix their verdicts")
    func sharedCache() throws {
        let cache = TrustVerdictCache()
        let policies = try Self.policies()
        var evaluators: [(TrustEvaluator, SecurityPolicy, TrustAnchors)] = []
        for anchors in try [Fixture.anchors("root"), Fixture.anchors("other-root")] {
            for policy in policies {
                evaluators.append((try TrustEvaluator(policy, anchors: anchors, cache: cache), policy, anchors))
            }
        }
        var generator = SeededGenerator(seed: 7)
        let chains = try Self.chains.map { try CertificateChain(files: $0.map { Fixture.path($0) }) }
        for _ in 0..<1_000 {
            let (evaluator, policy, anchors) = try #require(evaluators.randomElement(using: &generator))
            let chain = try #require(chains.randomElement(using: &generator))
            let domain: String? = ["good.test", "localhost", "evil.test", nil].randomElement(using: &generator) ?? nil
            let time = Fixture.time + Int64.random(in: 0..<100, using: &generator)
            let known = evaluator.evaluate(chain, domain: domain, at: time)
            let fresh = try policy.evaluate(chain, domain: domain, at: time, anchors: anchors)
            #expect(known.withoutValidity == fresh.withoutValidity)
        }
    }

    @Test("A cache takes no more room than it may")
    func boundedSize() throws {
        let verdict = try judge(["leaf", "intermediate"])
        let small = TrustVerdictCache(sizeLimit: 100_000)
        let large = TrustVerdictCache(sizeLimit: .max)
        let nothing = TrustVerdictCache(sizeLimit: 0)
        for number in 0..<20_000 {
            let key = Self.key(number)
            small.insert(verdict, for: key)
            large.insert(verdict, for: key)
            nothing.insert(verdict, for: key)
        }
        func count(in cache: TrustVerdictCache) -> Int {
            (0..<20_000).filter { cache[Self.key($0), Fixture.time] != nil }.count
        }
        // A verdict about five certificates is about six kilobytes.
        #expect((10...30).contains(count(in: small)))
        #expect(count(in: large) == 16_384)
        #expect(count(in: nothing) == 0)
    }

    @Test("A verdict that takes the place of an older one takes no room of its own")
    func replacedVerdicts() throws {
        let cache = TrustVerdictCache(sizeLimit: 100_000)
        let verdict = try judge(["leaf", "intermediate"])
        for _ in 0..<1_000 { for number in 0..<5 { cache.insert(verdict, for: Self.key(number)) } }
        for number in 0..<5 { #expect(cache[Self.key(number), Fixture.time] != nil) }
    }

    @Test("A verdict is there for the time that it holds, and not a second before or after")
    func validity() throws {
        let cache = TrustVerdictCache()
        let verdict = try judge(["short-lived", "intermediate"])
        cache.insert(verdict, for: Self.key(1))
        #expect(verdict.validity == FixtureDate.shortLivedBegins..<Fixture.time + 3_600)
        #expect(cache[Self.key(1), FixtureDate.shortLivedBegins - 1] == nil)
        #expect(cache[Self.key(1), FixtureDate.shortLivedBegins]?.checkedAt == FixtureDate.shortLivedBegins)
        #expect(cache[Self.key(1), Fixture.time + 3_599] != nil)
        #expect(cache[Self.key(1), Fixture.time + 3_600] == nil)
        #expect(cache[Self.key(2), Fixture.time] == nil)
    }

    @Test("Several threads may use one evaluator")
    func concurrency() async throws {
        let evaluator = try TrustEvaluator(.default, anchors: Fixture.anchors("root"))
        let chain = try Fixture.chain("leaf", "intermediate")
        let wanted = evaluator.evaluate(chain, domain: "good.test", at: Fixture.time).withoutValidity
        await withTaskGroup(of: Bool.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { round in
                        let time = Fixture.time + Int64(worker * round) * 3_600
                        var verdict = evaluator.evaluate(chain, domain: "good.test", at: time)
                        guard verdict.checkedAt == time else { return false }
                        verdict.checkedAt = Fixture.time
                        return verdict.withoutValidity == wanted
                    }
                }
            }
            for await isSame in group { #expect(isSame) }
        }
    }

    private static func key(_ number: Int) -> TrustVerdictCache.Key {
        TrustVerdictCache.Key(evaluator: UInt64(number), chain: ChainDigest([1]), domain: "good.test")
    }
}

extension TrustVerdict {
    /// The same, but for how long it holds: what was asked earlier holds until earlier.
    fileprivate var withoutValidity: TrustVerdict {
        TrustVerdict(
            isAccepted: isAccepted,
            row: row,
            predicates: predicates,
            faults: faults,
            tolerated: tolerated,
            warnings: warnings,
            sentChain: sentChain,
            sentCount: sentCount,
            builtChain: builtChain,
            expiry: expiry,
            checkedAt: checkedAt
        )
    }
}
