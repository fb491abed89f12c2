// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How long things took: how many of them fell into each of 896 bins, whose width is a thirty-second of a power of two.
///
/// A quantile is wrong by at most ``relativeError`` of the true value. Sketches can be put together in any order and
/// grouping, and the outcome is the same to the bit: the arithmetic is of whole numbers. What took more than 71 minutes
/// counts as 71 minutes.
package struct LatencySketch: Sendable, Hashable {
    /// Some of one bin.
    package struct Bin: Sendable, Hashable {
        /// Which bin, below ``LatencySketch/binCount``.
        package let index: Int
        /// How many fell into it; never none.
        package var count: UInt64
    }

    /// The relative error of a value.
    package static let relativeError = 1.0 / 64
    /// Bins that there are.
    package static let binCount = 896

    private static let fractionBits = 5
    private static let longest: UInt64 = (1 << 32) - 1

    /// What is not empty, in the order of the values.
    package private(set) var bins: [Bin] = []

    /// Creates an empty sketch.
    package init() {}

    /// Creates a sketch of bins; nil unless they grow, exist and are not empty.
    package init?(_ bins: [Bin]) {
        var last = -1
        for bin in bins {
            guard bin.index > last, bin.index < Self.binCount, bin.count > 0 else { return nil }
            last = bin.index
        }
        self.bins = bins
    }

    /// How many values it has seen.
    package var count: UInt64 { bins.reduce(0) { Self.sum($0, $1.count) } }

    /// Takes a value.
    package mutating func add(microseconds value: UInt64) {
        let index = Self.index(of: value)
        let place = bins.firstIndex { $0.index >= index } ?? bins.count
        if place < bins.count, bins[place].index == index {
            bins[place].count = Self.sum(bins[place].count, 1)
        } else {
            bins.insert(Bin(index: index, count: 1), at: place)
        }
    }

    /// Takes all that another has seen.
    package mutating func merge(_ other: LatencySketch) {
        guard !other.bins.isEmpty else { return }
        guard !bins.isEmpty else {
            bins = other.bins
            return
        }
        var merged: [Bin] = []
        merged.reserveCapacity(bins.count + other.bins.count)
        var (left, right) = (bins[...], other.bins[...])
        while let mine = left.first, let theirs = right.first {
            if mine.index <= theirs.index { left.removeFirst() }
            if theirs.index <= mine.index { right.removeFirst() }
            let lower = mine.index <= theirs.index ? mine : theirs
            let count = mine.index == theirs.index ? Self.sum(mine.count, theirs.count) : lower.count
            merged.append(Bin(index: lower.index, count: count))
        }
        bins = merged + left + right
    }

    /// The smallest value that at least a share of all values do not exceed, in microseconds; nil when there are none.
    ///
    /// - Parameter share: from 0 to 1.
    package func quantile(_ share: Double) -> UInt64? {
        let count = count
        guard count > 0 else { return nil }
        let product = (min(max(share, 0), 1) * Double(count)).rounded(.up)
        let rank = product < 0x1p64 ? UInt64(product) : count
        var passed: UInt64 = 0
        for bin in bins {
            passed = Self.sum(passed, bin.count)
            if passed >= max(rank, 1) { return Self.middle(of: bin.index) }
        }
        return bins.last.map { Self.middle(of: $0.index) }
    }

    /// Counts read from a file may be anything: overflow saturates.
    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, isTooMuch) = left.addingReportingOverflow(right)
        return isTooMuch ? .max : sum
    }

    /// Below 32 each value has its own bin; from there on each power of two has 32.
    static func index(of microseconds: UInt64) -> Int {
        let value = min(microseconds, longest)
        guard value >= 1 << fractionBits else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        let fraction = Int(value >> (exponent - fractionBits)) & ((1 << fractionBits) - 1)
        return (exponent - fractionBits + 1) << fractionBits | fraction
    }

    private static func middle(of index: Int) -> UInt64 {
        guard index >= 1 << fractionBits else { return UInt64(index) }
        let shift = (index >> fractionBits) - 1
        let low = UInt64(1 << fractionBits | index & ((1 << fractionBits) - 1)) << shift
        return low + ((1 << shift) - 1) / 2
    }
}
