// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite struct RetryDelayTests {
    @Test("delays begin at 0.2 seconds, double, and stay between 2.5 and 5 seconds, also after many failures")
    func growth() {
        var delay = RetryDelay(random: SeededGenerator(seed: 1))
        let ceilings: [UInt64] = [400, 800, 1_600, 3_200, 5_000, 5_000]
        for ceiling in ceilings {
            let next = delay.next()
            #expect((ceiling * 500_000)...(ceiling * 1_000_000) ~= next)
        }
        for _ in 0..<1_000 { #expect(2_500_000_000...5_000_000_000 ~= delay.next()) }
        delay.reset()
        #expect(200_000_000...400_000_000 ~= delay.next())
    }
}

@Suite struct ClockSkewTests {
    @Test("the estimate is never further from the skew than half of the shortest round trip", arguments: 0..<50)
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

    @Test("a clock that was set is recognised by the next measurement")
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

    @Test("a slow round trip does not spoil a good estimate")
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

@Suite struct LeaseAnswerTests {
    private static let valid: [String?] = [
        "1700000000000000", "16777216", "f", "fleet", "00000000000000a1", "12", "-5", "3", "4", "5", "6", "node-2", "9",
        "t",
    ]

    @Test("an answer has all values of its row")
    func values() throws {
        let answer = try #require(try LeaseAnswer(Rows.make([Self.valid])))
        #expect(answer.now == .seconds(1_700_000_000))
        #expect(answer.reported == LocalPosition(sequence: 1, index: 0))
        #expect(!answer.isDraining)
        #expect(answer.identity == "fleet")
        #expect(answer.epoch == "00000000000000a1")
        #expect(answer.sequence == 12)
        #expect(answer.stamp == -5)
        #expect(answer.assignment == 3)
        #expect(answer.declared == 4)
        #expect(answer.settingsVersion == 5)
        #expect(answer.coordinatorToken == 6)
        #expect(answer.coordinator == NodeIdentity(name: "node-2", incarnation: 9))
        #expect(answer.isVacant)
    }

    @Test("no row is no answer, and a new fleet has no coordinator")
    func absent() throws {
        #expect(try LeaseAnswer(Rows.make([])) == nil)
        var row = Self.valid
        row[11] = nil
        #expect(try #require(try LeaseAnswer(Rows.make([row]))).coordinator == nil)
    }

    @Test(
        "a value out of its range is an error",
        arguments: [
            (0, "-1"), (0, "253402300800000000"), (0, "x"), (0, nil), (1, "-1"), (2, "yes"), (3, ""), (4, nil),
            (5, "-1"), (7, "-3"), (8, "9223372036854775808"), (9, nil), (10, "-1"), (12, "-1"), (12, nil), (13, nil),
        ] as [(Int, String?)]
    )
    func nonsense(column: Int, value: String?) {
        var row = Self.valid
        row[column] = value
        #expect(throws: DatabaseError.self) { try LeaseAnswer(Rows.make([row])) }
    }

    @Test("several rows, and a row with too few columns, are errors")
    func form() {
        #expect(throws: DatabaseError.self) { try LeaseAnswer(Rows.make([Self.valid, Self.valid])) }
        #expect(throws: DatabaseError.self) { try LeaseAnswer(Rows.make([Array(Self.valid.prefix(5))])) }
    }
}

@Suite struct OwnAssignmentTests {
    @Test("invalid assignments and those of another location are skipped and counted")
    func skipping() {
        let rows = Rows.make([
            ["1", "0", "berlin", "5", "1700000000000000", "4"],
            ["1", "1024", "berlin", "5", "1", "0"],
            ["-1", "0", "berlin", "5", "1", "0"],
            ["4294967296", "0", "berlin", "5", "1", "0"],
            ["1", "2", "paris", "5", "1", "0"],
            ["1", "3", "berlin", nil, "1", "0"],
            ["1", "4", "berlin", "-7", "1", "0"],
            ["2", "1023", "berlin", "9223372036854775807", "0", "0"],
        ])
        let (assignments, skipped) = OwnAssignment.list(rows, location: "berlin")
        #expect(skipped == 6)
        #expect(
            assignments == [
                OwnAssignment(
                    key: AssignmentKey(shard: Shard(placement: 1, number: 0), location: "berlin"),
                    token: 5,
                    since: .seconds(1_700_000_000),
                    confirmed: 4
                ),
                OwnAssignment(
                    key: AssignmentKey(shard: Shard(placement: 2, number: 1_023), location: "berlin"),
                    token: UInt64(Int64.max),
                    since: .zero
                ),
            ]
        )
    }
}

@Suite struct StorableTextTests {
    @Test("zero bytes are replaced and long texts are cut between scalars")
    func limits() {
        #expect(StorableText.text("a\u{0}b") == "a\u{FFFD}b")
        #expect(StorableText.text("plain", limit: 5) == "plain")
        #expect(StorableText.text("äöü", limit: 3) == "ä")
        #expect(StorableText.text("🔥🔥", limit: 7) == "🔥")
        #expect(StorableText.text("🔥", limit: 3) == "")
    }
}
