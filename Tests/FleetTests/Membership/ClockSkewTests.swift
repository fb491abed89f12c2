// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Fleet

@Suite("The skew of two clocks") struct ClockSkewTests {
    @Test("The estimate is never further from the skew than half of the shortest round trip", arguments: 0..<50)
    func narrowing(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let truth = Duration.milliseconds(Int64.random(in: -100_000...100_000, using: &random))
        var skew = ClockSkew()
        var wall = Duration.seconds(1_700_000_000)
        var shortest = Duration.seconds(10)
        for _ in 0..<100 {
            let there = Duration.microseconds(Int64.random(in: 100...400_000, using: &random))
            let back = Duration.microseconds(Int64.random(in: 100...400_000, using: &random))
            let database = wall + there + truth
            wall += there + back
            shortest = min(shortest, there + back)
            skew.measure(database: database, wall: wall, roundTrip: there + back, elapsed: .seconds(1))
            let difference = skew.estimate - truth
            #expect(max(difference, .zero - difference) <= shortest / 2 + .milliseconds(21))
            wall += .seconds(1)
        }
        #expect(skew.roundTrip != nil)
    }

    @Test("A clock that was set is recognised by the next measurement")
    func jump() {
        var skew = ClockSkew()
        let start = Duration.seconds(1_700_000_000)
        skew.measure(database: start, wall: start, roundTrip: .milliseconds(2), elapsed: .zero)
        #expect(skew.estimate == .milliseconds(1))
        skew.measure(
            database: start + .seconds(1),
            wall: start + .seconds(61),
            roundTrip: .milliseconds(2),
            elapsed: .seconds(1)
        )
        #expect(skew.estimate == .seconds(-60) + .milliseconds(1))
    }

    @Test("A slow round trip does not spoil a good estimate")
    func slow() {
        var skew = ClockSkew()
        let start = Duration.seconds(1_700_000_000)
        skew.measure(database: start, wall: start + .milliseconds(1), roundTrip: .milliseconds(2), elapsed: .zero)
        skew.measure(
            database: start + .seconds(1),
            wall: start + .milliseconds(2_990),
            roundTrip: .milliseconds(2_000),
            elapsed: .seconds(1)
        )
        #expect(skew.estimate > .milliseconds(-3))
        #expect(skew.estimate < .milliseconds(3))
    }
}
