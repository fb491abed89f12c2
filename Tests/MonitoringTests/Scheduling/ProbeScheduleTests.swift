// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import TestSupport
import Testing

@testable import Monitoring

@Suite("When probes are due")
struct ProbeScheduleTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("FNV-1a with 64 bits, against its published vectors")
    func vectors() {
        #expect(StableHash.fnv1a("".utf8) == 0xcbf2_9ce4_8422_2325)
        #expect(StableHash.fnv1a("a".utf8) == 0xaf63_dc4c_8601_ec8c)
        #expect(StableHash.fnv1a("foobar".utf8) == 0x8594_4171_f739_67e8)
    }

    @Test("Phases of ids that differ at their ends are spread evenly over the interval")
    func spread() throws {
        var slots = [Int](repeating: 0, count: 100)
        for target in 0..<10_000 {
            let schedule = try ProbeSchedule(id: "target-\(target)", interval: .seconds(10))
            slots[Int(schedule.phase / (Self.second / 10))] += 1
        }
        #expect((slots.min() ?? 0) > 60 && (slots.max() ?? 0) < 150)
        let one = try ProbeSchedule(id: "a", interval: .seconds(10))
        #expect(one == (try ProbeSchedule(id: "a", interval: .seconds(10))))
        #expect(one != (try ProbeSchedule(id: "a", interval: .seconds(10), seed: 1)))
    }

    @Test("The first turn comes within the spread, in the order of the phases")
    func first() throws {
        let schedules = try (0..<200).map { try ProbeSchedule(id: "\($0)", interval: .seconds(10)) }
        let turns = schedules.map { $0.first(at: 7 * Self.second, spread: .seconds(4)) }
        for (schedule, turn) in zip(schedules, turns) {
            #expect((7 * Self.second..<11 * Self.second).contains(turn.due))
            let twin = Double(turn.due - 7 * Self.second) / 4 - Double(schedule.phase) / 10
            #expect(abs(twin) < 2)
            #expect(schedule.first(at: 0, spread: .seconds(60)).due == schedule.phase)
            #expect(schedule.first(at: 5, spread: .zero).due == 5)
        }
    }

    @Test(
        "A year of turns: each is phase + k · interval within its jitter, and none is repeated or skipped",
        arguments: [0, 0.1, 0.25]
    )
    func noDrift(jitter: Double) throws {
        let schedule = try ProbeSchedule(id: "steady", interval: .seconds(30), jitter: jitter)
        let span = UInt64(30e9 * jitter)
        var generator = SeededGenerator(seed: 11)
        var due = schedule.next(after: 0, lastDue: 0).due
        var early = 0
        let count: UInt64 = 100_000
        for turn in 1...count {
            // The probe starts late and takes its time, but is done before the next turn.
            let next = schedule.next(after: due + .random(in: 0...10 * Self.second, using: &generator), lastDue: due)
            let nominal = next.due + span - schedule.phase
            guard nominal % (30 * Self.second) <= 2 * span, next.missed == 0 else {
                Issue.record("turn \(turn) is due at \(next.due), missed \(next.missed)")
                return
            }
            if nominal % (30 * Self.second) < span { early += 1 }
            guard next.due > due, next.due - due >= 15 * Self.second, next.due - due <= 45 * Self.second else {
                Issue.record("turn \(turn) is \(next.due - due) ns after the last one")
                return
            }
            due = next.due
        }
        #expect(due / (30 * Self.second) + 2 >= count)
        if jitter > 0 { #expect((45_000...55_000).contains(early)) }
    }

    @Test("Missed turns are skipped and counted without a burst; a turn that just passed runs late")
    func missed() throws {
        let schedule = try ProbeSchedule(id: "late", interval: .seconds(10), jitter: 0)
        let due = schedule.due(ofTurn: 5)
        #expect(schedule.next(after: due + 9 * Self.second, lastDue: due) == ProbeTurn(due: schedule.due(ofTurn: 6)))
        let late = due + 14 * Self.second
        #expect(schedule.next(after: late, lastDue: due) == ProbeTurn(due: late + Self.second / 1000))
        #expect(
            schedule.next(after: due + 15 * Self.second, lastDue: due)
                == ProbeTurn(due: schedule.due(ofTurn: 7), missed: 1)
        )
        #expect(
            schedule.next(after: due + 3605 * Self.second, lastDue: due)
                == ProbeTurn(due: schedule.due(ofTurn: 366), missed: 360)
        )
    }

    @Test("A timeout as long as the interval does not halve the rate: nine of ten turns run")
    func overrun() throws {
        for wait: Duration? in [nil, .seconds(5), .seconds(10)] {
            let schedule = try ProbeSchedule(id: "slow", interval: .seconds(10), jitter: 0)
            let taken = (wait ?? .seconds(10)) + .milliseconds(20)
            var due = schedule.due(ofTurn: 5)
            let (first, count) = (due, 1000)
            for _ in 0..<count { due = schedule.next(after: due + taken.nanoseconds, lastDue: due, wait: wait).due }
            let ideal = UInt64(count) * (wait ?? .seconds(10)).nanoseconds
            #expect(due - first < ideal + ideal / 10)
        }
    }

    @Test("A shorter interval leaves the grid, the next regular one returns to it")
    func confirming() throws {
        let schedule = try ProbeSchedule(id: "doubt", interval: .seconds(10), jitter: 0)
        let due = schedule.due(ofTurn: 5)
        let confirm = schedule.next(after: due + Self.second, lastDue: due, wait: .seconds(2))
        #expect(confirm == ProbeTurn(due: due + 2 * Self.second))
        #expect(
            schedule.next(after: due + 5 * Self.second, lastDue: due, wait: .seconds(2))
                == ProbeTurn(due: due + 5 * Self.second + Self.second / 1000, missed: 1)
        )
        #expect(schedule.next(after: confirm.due, lastDue: confirm.due).due == schedule.due(ofTurn: 6))
        let late = due + 6 * Self.second
        #expect(schedule.next(after: late, lastDue: late).due == schedule.due(ofTurn: 7))
    }

    @Test("A longer interval is rounded to whole turns")
    func backoff() throws {
        let schedule = try ProbeSchedule(id: "down", interval: .seconds(10), jitter: 0)
        let due = schedule.due(ofTurn: 5)
        for (wait, turn) in [(14, 6), (15, 6), (16, 7), (20, 7), (300, 35)] as [(Int64, UInt64)] {
            let next = schedule.next(after: due, lastDue: due, wait: .seconds(wait))
            #expect(next.due == schedule.due(ofTurn: turn))
        }
    }

    @Test("Lag is the delay of a start and never negative")
    func lag() {
        #expect(ProbeTurn(due: 100).lag(ofStartAt: 130) == 30)
        #expect(ProbeTurn(due: 100).lag(ofStartAt: 70) == 0)
    }

    @Test("Extreme times and intervals do not overflow")
    func extremes() throws {
        let schedule = try ProbeSchedule(id: "x", interval: .milliseconds(100), jitter: 0.25)
        for now in [0, 1, .max / 2, .max - 1, .max] as [UInt64] {
            for lastDue in [0, 1, .max / 2, .max - 1, .max] as [UInt64] {
                for wait: Duration? in [nil, .zero, .nanoseconds(1), .seconds(-1), .seconds(Int64.max)] {
                    let turn = schedule.next(after: now, lastDue: lastDue, wait: wait)
                    #expect(turn.due > now || now > .max - 200_000_000)
                }
            }
            _ = schedule.first(at: now, spread: .seconds(Int64.max))
            _ = schedule.due(ofTurn: now)
        }
    }

    @Test("An interval or a jitter out of its range is refused")
    func refusals() {
        for jitter in [-0.01, 0.26, .nan, .infinity] {
            let error = #expect(throws: VerdictSettingsError.self) {
                try ProbeSchedule(id: "x", interval: .seconds(1), jitter: jitter)
            }
            #expect(error?.code == .jitter)
        }
        let error = #expect(throws: VerdictSettingsError.self) { try ProbeSchedule(id: "x", interval: .zero) }
        #expect(error?.code == .interval)
    }
}
