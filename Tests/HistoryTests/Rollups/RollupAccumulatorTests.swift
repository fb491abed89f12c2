// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import History

@Suite("Measuring states")
struct RollupAccumulatorTests {
    /// A random life: targets come, go and change, time passes, clocks are set, nobody looks for a while.
    private struct Life {
        var generator: SeededGenerator
        var naive: NaiveHistory
        var accumulator: RollupAccumulator
        var monotonic: Int64 = 1_000
        let largestStep: Int64

        init(seed: UInt64, largestStep: Int64) {
            generator = SeededGenerator(seed: seed)
            let wall = Int64.random(in: 1_700_000_000...1_700_100_000, using: &generator)
            naive = NaiveHistory(wall: wall)
            accumulator = RollupAccumulator(wall: wall * 1_000, monotonic: 1_000 * 1_000_000_000)
            self.largestStep = largestStep
        }

        mutating func look() {
            accumulator.look(wall: naive.wall * 1_000, monotonic: UInt64(monotonic) * 1_000_000_000)
        }

        mutating func pass(_ seconds: Int64) {
            naive.pass(seconds: seconds)
            monotonic += seconds
        }

        mutating func step() {
            let number = UInt64.random(in: 1...4, using: &generator)
            let state = TargetState.allCases.randomElement(using: &generator) ?? .up
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<40:
                pass(.random(in: 0...90, using: &generator))
                look()
            case 40..<65:
                // An event is told a little after it happened.
                let delay = Int64.random(in: 0...3, using: &generator)
                let before = naive.wall
                if naive.targets[number] == nil {
                    naive.targets[number] = .init(state: state, mark: before)
                    pass(delay)
                    look()
                    accumulator.add(number, target: "t\(number)", state: state, at: before * 1_000)
                } else {
                    naive.targets[number]?.state = state
                    pass(delay)
                    look()
                    accumulator.change(number, to: state, at: before * 1_000)
                }
            case 65..<70:
                let before = naive.wall
                naive.targets[number] = nil
                pass(.random(in: 0...3, using: &generator))
                look()
                accumulator.remove(number, at: before * 1_000)
            case 70..<90:
                look()
                let fails = Bool.random(using: &generator)
                naive.probe(number, fails: fails)
                accumulator.take(probeOf: fails ? nil : 1_000, target: number)
            case 90..<96:
                pass(.random(in: 0...60, using: &generator))
                let jump = Int64.random(in: 2...largestStep, using: &generator)
                naive.set(wall: naive.wall + (Bool.random(using: &generator) ? jump : -jump))
                look()
            case 96..<98:
                // Nobody looks; the clock goes on.
                look()
                let pause = Int64.random(in: 181...10_000, using: &generator)
                monotonic += pause
                naive.set(wall: naive.wall + pause)
                look()
            default:
                accumulator.settle(0..<Int.random(in: 0...8, using: &generator))
            }
        }
    }

    @Test("Random histories equal a count of each second", arguments: 0..<60)
    func model(seed: UInt64) {
        // Steps up to half an hour: what the clock shows again counts once.
        var life = Life(seed: seed, largestStep: 1_800)
        // A clock that was far behind and is set forward has left nothing behind that it could show again later.
        for _ in 0..<400 { life.step() }
        life.look()
        life.accumulator.finishAll()
        var times: [NaiveHistory.Key: StateDurations] = [:]
        var probes: [NaiveHistory.Key: (all: UInt64, failed: UInt64)] = [:]
        for piece in life.accumulator.finished {
            let number = UInt64(piece.target.dropFirst()) ?? 0
            let key = NaiveHistory.Key(target: number, minute: piece.start / 60_000)
            #expect(piece.bucket.isPossible(.minute))
            times[key, default: StateDurations()].add(piece.bucket.times)
            probes[key, default: (0, 0)].all += piece.bucket.probes
            probes[key, default: (0, 0)].failed += piece.bucket.failures
        }
        times = times.filter { $0.value.observed > 0 }
        probes = probes.filter { $0.value.all > 0 }
        #expect(times == life.naive.times)
        #expect(probes.count == life.naive.probes.count)
        for (key, counts) in probes { #expect(life.naive.probes[key].map { $0 == counts } ?? false) }
    }

    @Test("However the clocks are set, no minute has more than a minute", arguments: 0..<40)
    func bounds(seed: UInt64) {
        var life = Life(seed: seed, largestStep: 100_000)
        for _ in 0..<600 { life.step() }
        life.accumulator.finishAll()
        var joined: [NaiveHistory.Key: RollupBucket] = [:]
        for piece in life.accumulator.finished {
            #expect(piece.bucket.isPossible(.minute))
            #expect(piece.start % 60_000 == 0)
            let key = NaiveHistory.Key(target: UInt64(piece.target.dropFirst()) ?? 0, minute: piece.start / 60_000)
            joined[key] = joined[key]?.reconciled(with: piece.bucket) ?? piece.bucket
        }
        for bucket in joined.values {
            #expect(bucket.isPossible(.minute))
            #expect(bucket.times.observed <= 60_000)
        }
    }

    @Test("A clock that is slewed was not set")
    func slewing() {
        var accumulator = RollupAccumulator(wall: 0, monotonic: 0)
        accumulator.add(1, target: "a", state: .up, at: 0)
        var wall: Int64 = 0
        for second in 1...3_600 {
            // Half a thousandth too fast, for an hour: 1.8 seconds.
            wall = Int64(second) * 1_000 + Int64(second) / 2
            accumulator.look(wall: wall, monotonic: UInt64(second) * 1_000_000_000)
        }
        accumulator.finishAll()
        #expect(accumulator.finished.reduce(0) { $0 + $1.bucket.times[.up] } == UInt64(wall))
    }

    @Test("Unobserved time is not counted, and current states are kept")
    func replacing() {
        var accumulator = RollupAccumulator(wall: 0, monotonic: 0)
        accumulator.add(1, target: "a", state: .up, at: 0)
        accumulator.add(2, target: "b", state: .up, at: 0)
        accumulator.look(wall: 30_000, monotonic: 30_000_000_000)
        accumulator.replace([(1, "a", .down), (3, "c", .up)], knownUntil: 20_000)
        accumulator.look(wall: 40_000, monotonic: 40_000_000_000)
        accumulator.finishAll()
        let found = Dictionary(grouping: accumulator.finished, by: \.target).mapValues { $0.map(\.bucket.times) }
        #expect(found["a"]?.map { $0[.up] } == [20_000])
        #expect(found["a"]?.map { $0[.down] } == [10_000])
        #expect(found["b"]?.map { $0[.up] } == [20_000])
        #expect(found["c"]?.map { $0[.up] } == [10_000])
    }

    @Test("Unwritten rollups are reported, including the current minute")
    func unwritten() {
        var accumulator = RollupAccumulator(wall: 0, monotonic: 0)
        accumulator.add(1, target: "a", state: .up, at: 0)
        accumulator.look(wall: 90_000, monotonic: 90_000_000_000)
        accumulator.take(probeOf: 5, target: 1)
        let pieces = accumulator.unwritten(1, target: "a")
        #expect(pieces.map(\.start) == [0, 60_000])
        #expect(pieces.map(\.bucket.times[.up]) == [60_000, 30_000])
        #expect(pieces.last?.bucket.probes == 1)
        accumulator.forget(1)
        #expect(accumulator.unwritten(1, target: "a").map(\.start) == [60_000])
        #expect(accumulator.unwritten(9, target: "z").isEmpty)
    }
}
