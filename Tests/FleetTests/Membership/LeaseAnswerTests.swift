// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import Testing

@testable import Fleet

@Suite("Answers to renewals") struct LeaseAnswerTests {
    private static let valid: [String?] = [
        "1700000000000000", "16777216", "f", "fleet", "00000000000000a1", "12", "-5", "3", "4", "5", "6", "node-2", "9",
        "t", "7", "{\"7 ops\",\"x ops\",\"8\",\"9 on call\"}", "17", "t",
    ]

    @Test("An answer has all values of its row")
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
        #expect(answer.disputes == 7)
        // Elements that another program wrote are left out.
        #expect(
            answer.receivers == [ReceiverGrant(name: "ops", token: 7), ReceiverGrant(name: "on call", token: 9)]
        )
        #expect(answer.newestCommand == 17)
        #expect(answer.isDurable)
    }

    @Test("No row is no answer, and a new fleet has no coordinator")
    func absent() throws {
        #expect(try LeaseAnswer(Rows.make([])) == nil)
        var row = Self.valid
        row[11] = nil
        #expect(try #require(try LeaseAnswer(Rows.make([row]))).coordinator == nil)
    }

    @Test(
        "A value out of its range is an error",
        arguments: [
            (0, "-1"), (0, "253402300800000000"), (0, "x"), (0, nil), (1, "-1"), (2, "yes"), (3, ""), (4, nil),
            (5, "-1"), (7, "-3"), (8, "9223372036854775808"), (9, nil), (10, "-1"), (12, "-1"), (12, nil), (13, nil),
            (14, "-1"), (15, nil), (15, "x"), (16, "-1"), (17, nil),
        ] as [(Int, String?)]
    )
    func nonsense(column: Int, value: String?) {
        var row = Self.valid
        row[column] = value
        #expect(throws: DatabaseError.self) { try LeaseAnswer(Rows.make([row])) }
    }

    @Test("Several rows, and a row with too few columns, are errors")
    func form() {
        #expect(throws: DatabaseError.self) { try LeaseAnswer(Rows.make([Self.valid, Self.valid])) }
        #expect(throws: DatabaseError.self) { try LeaseAnswer(Rows.make([Array(Self.valid.prefix(5))])) }
    }
}
