// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// SplitMix64: random numbers that are the same in every run.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins a sequence.
    package init(seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// True once in so many times.
    package mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }
}
