// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import History

@Suite("The sketch of latencies")
struct LatencySketchTests {
    private func sketch(_ values: [UInt64]) -> LatencySketch {
        values.reduce(into: LatencySketch()) { $0.add(microseconds: $1) }
    }

    /// As long as probes take, from microseconds to minutes, with many that are equal.
    private func values(_ count: Int, _ generator: inout SeededGenerator) -> [UInt64] {
        (0..<count).map { _ in
            let bits = UInt64.random(in: 0...31, using: &generator)
            return UInt64.random(in: 0...(1 << bits), using: &generator)
        }
    }

    @Test("Quantiles are within the stated error of the exact ones", arguments: 0..<40)
    func quantiles(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values = values(Int.random(in: 1...3_000, using: &generator), &generator)
        let sketch = sketch(values)
        let sorted = values.sorted()
        #expect(sketch.count == UInt64(values.count))
        for share in [0, 0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1] {
            let rank = max(Int((share * Double(values.count)).rounded(.up)), 1)
            let exact = Double(sorted[rank - 1])
            let told = Double(try #require(sketch.quantile(share)))
            #expect(abs(told - exact) <= exact * LatencySketch.relativeError, "\(share) of \(values.count)")
        }
    }

    @Test("Put together in any order and grouping they are the same, and the same as one that saw everything")
    func merging() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<100 {
            let parts = (0..<3).map { _ in values(Int.random(in: 0...200, using: &generator), &generator) }
            let (a, b, c) = (sketch(parts[0]), sketch(parts[1]), sketch(parts[2]))
            func joined(_ left: LatencySketch, _ right: LatencySketch) -> LatencySketch {
                var both = left
                both.merge(right)
                return both
            }
            #expect(joined(a, b) == joined(b, a))
            #expect(joined(joined(a, b), c) == joined(a, joined(b, c)))
            #expect(joined(joined(a, b), c) == sketch(parts.flatMap { $0 }))
            #expect(joined(a, LatencySketch()) == a)
        }
    }

    @Test("Every value has a bin, bins grow with values, and the longest is the last")
    func bins() {
        var last = -1
        for bits in 0..<64 {
            for value in [1 << bits, (1 << bits) | (1 << bits) >> 1, UInt64.max >> (63 - bits)] as [UInt64] {
                let index = LatencySketch.index(of: value)
                #expect(index >= last && index < LatencySketch.binCount)
                last = index
            }
        }
        #expect(LatencySketch.index(of: .max) == LatencySketch.binCount - 1)
        #expect(LatencySketch().quantile(0.5) == nil)
        #expect(LatencySketch([]) != nil)
        #expect(LatencySketch([LatencySketch.Bin(index: 3, count: 1), LatencySketch.Bin(index: 3, count: 1)]) == nil)
        #expect(LatencySketch([LatencySketch.Bin(index: 896, count: 1)]) == nil)
        #expect(LatencySketch([LatencySketch.Bin(index: 0, count: 0)]) == nil)
    }

    @Test("Counts that cannot be added are as large as can be")
    func overflow() throws {
        var sketch = try #require(LatencySketch([LatencySketch.Bin(index: 1, count: .max)]))
        sketch.add(microseconds: 1)
        sketch.merge(try #require(LatencySketch([LatencySketch.Bin(index: 2, count: .max)])))
        #expect(sketch.count == .max)
        #expect(sketch.quantile(1) != nil)
    }
}
