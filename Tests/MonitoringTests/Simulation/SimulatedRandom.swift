// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Random numbers that follow from a seed alone (SplitMix64).
struct SimulatedRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// Whether an event of a probability happens.
    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// A number in a range.
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// A span of seconds in a range, in nanoseconds.
    mutating func seconds(_ range: ClosedRange<Double>) -> UInt64 {
        UInt64(Double.random(in: range, using: &self) * 1_000_000_000)
    }

    /// A number below 1 that follows from others, so that what happens to one packet does not depend on how many there were before.
    static func noise(_ parts: UInt64...) -> Double {
        var hash: UInt64 = 0x51_7C_C1_B7_27_22_0A_95
        for part in parts { hash = mix(hash &+ 0x9E37_79B9_7F4A_7C15 &+ part) }
        return Double(hash >> 11) / Double(1 << 53)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
