// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import History

@Suite("Buckets")
struct RollupBucketTests {
    /// A minute as it could have come about.
    static func random(_ generator: inout SeededGenerator, from: Int64 = 0, to: Int64 = 60_000) -> RollupBucket {
        var bucket = RollupBucket()
        var moment = Int64.random(in: from...to, using: &generator)
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            let next = Int64.random(in: moment...to, using: &generator)
            bucket.add(TargetState.allCases.randomElement(using: &generator) ?? .up, from: moment, to: next)
            moment = next
            if Bool.random(using: &generator) {
                let isFailure = Int.random(in: 0...3, using: &generator) == 0
                bucket.add(
                    probeOf: isFailure ? nil : UInt64.random(in: 100...2_000_000, using: &generator),
                    at: moment
                )
            }
        }
        if !bucket.isEmpty, Int.random(in: 0...2, using: &generator) == 0 { bucket.traffic = traffic(&generator) }
        return bucket
    }

    /// A minute's connections.
    static func traffic(_ generator: inout SeededGenerator) -> TrafficSums {
        var traffic = TrafficSums()
        for counter in TrafficSums.counters {
            traffic[keyPath: counter.path] = UInt64.random(in: 0...100_000, using: &generator)
        }
        (traffic.minutes, traffic.observedThousandths) = (1, UInt64.random(in: 0...1_000, using: &generator))
        if Bool.random(using: &generator) {
            traffic.roundTrips.add(microseconds: UInt64.random(in: 1...100_000, using: &generator))
        }
        return traffic
    }

    @Test("Written and read again they are the same")
    func bytes() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let bucket = Self.random(&generator)
            #expect(bucket.isPossible(.minute))
            #expect(RollupBucket(bytes: bucket.bytes(.minute), .minute) == bucket)
            #expect(RollupBucket(bytes: bucket.bytes(.hour), .hour) == bucket)
        }
        var steady = RollupBucket()
        steady.add(.up, from: 0, to: 60_000)
        steady.add(probeOf: 12_000, at: 10_000)
        steady.add(probeOf: 13_000, at: 40_000)
        #expect(steady.bytes(.minute).count <= 14)
        steady.traffic.minutes = 1
        steady.traffic.observedThousandths = 1_001
        #expect(RollupBucket(bytes: steady.bytes(.minute), .minute) == nil)
    }

    @Test("A malformed bucket is rejected without harm")
    func hostile() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            var bytes = Self.random(&generator).bytes(.minute)
            switch Int.random(in: 0...3, using: &generator) {
            case 0:
                bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    .random(in: 0...255, using: &generator)
                }
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
            case 2: bytes.append(.random(in: 0...255, using: &generator))
            default:
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                    1 << Int.random(in: 0...7, using: &generator)
            }
            if let read = RollupBucket(bytes: bytes, .minute) { #expect(read.isPossible(.minute)) }
        }
        let full = [UInt8](repeating: 0xff, count: 64)
        #expect(RollupBucket(bytes: full, .day) == nil)
        #expect(RollupBucket(bytes: [], .minute) == nil)
    }

    @Test("Consecutive observations of two runs are added; simultaneous ones count once")
    func reconciling() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let a = Self.random(&generator, to: 30_000)
            let b = Self.random(&generator, from: 30_000)
            let both = a.reconciled(with: b)
            #expect(both == b.reconciled(with: a))
            #expect(both.times.observed == a.times.observed + b.times.observed)
            #expect(both.probes == a.probes + b.probes)
            #expect(both.isPossible(.minute))
            // What is found in memory and in the file.
            #expect(a.reconciled(with: a) == a)
            #expect(a.reconciled(with: both).times.observed == both.times.observed)
            let other = Self.random(&generator)
            #expect(a.reconciled(with: other).isPossible(.minute))
        }
    }

    @Test("Parts make a whole in any order")
    func folding() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<200 {
            let parts = (0..<60).map { _ in Self.random(&generator) }
            var forwards = RollupBucket()
            for (index, part) in parts.enumerated() { forwards.absorb(part, at: Int64(index) * 60_000) }
            var backwards = RollupBucket()
            for (index, part) in parts.enumerated().reversed() { backwards.absorb(part, at: Int64(index) * 60_000) }
            #expect(forwards == backwards)
            #expect(forwards.isPossible(.hour))
            #expect(forwards.times.observed == parts.reduce(0) { $0 + $1.times.observed })
        }
    }
}
