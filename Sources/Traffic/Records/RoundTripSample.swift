// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A uniform sample of round trips of bounded size, for their median (reservoir sampling, Vitter's algorithm R).
struct RoundTripSample {
    /// How many are kept; the median of 31 of many is within the middle third with a probability above 0.94.
    static let capacity = 31

    /// Microseconds, in no order.
    private(set) var values: [UInt32] = []
    private var seen: UInt64 = 0
    private var generator: UInt64

    /// - Parameter seed: Where the pseudorandom sequence begins; nothing depends on its being unpredictable.
    init(seed: UInt64) {
        generator = seed
    }

    /// Offers a round trip in microseconds.
    mutating func add(_ value: UInt32) {
        seen += 1
        guard values.count == Self.capacity else { return values.append(value) }
        // A linear congruential generator (Knuth's MMIX), whose high bits are the good ones.
        generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let position = (generator >> 33) % seen
        if position < UInt64(Self.capacity) { values[Int(position)] = value }
    }

    /// The median in microseconds, the lower of the two middle ones; nil without any.
    var median: UInt32? {
        values.isEmpty ? nil : values.sorted()[(values.count - 1) / 2]
    }

    /// Begins anew and keeps its memory.
    mutating func removeAll() {
        values.removeAll(keepingCapacity: true)
        seen = 0
    }
}
