// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("Which commands a node carries out") struct CommandLedgerTests {
    private static let second: UInt64 = 1_000_000_000

    /// A ledger whose calls can be expected.
    private final class Node {
        private var ledger = CommandLedger()

        var position: Int64 { ledger.position }

        func targetsChanged() { ledger.targetsChanged() }

        func looks(_ newest: Int64, at time: UInt64) -> Bool { ledger.shouldLook(newest, at: time) }

        func take(_ found: [TargetCommand], at time: UInt64, isKnown: Bool = true) -> [TargetCommand] {
            ledger.take(found, at: time) { _ in isKnown }
        }
    }

    private func commands(_ ids: Int64..., target: String = "a") -> [TargetCommand] {
        ids.map { TargetCommand(id: $0, target: target, action: .probe) }
    }

    @Test("Each is carried out once, also one that becomes visible after a later one")
    func once() {
        let ledger = Node()
        #expect(!ledger.looks(0, at: 0))
        #expect(ledger.looks(2, at: Self.second))
        #expect(ledger.take(commands(2), at: Self.second) == commands(2))
        // No newer one, but an earlier one may still become visible for a while.
        #expect(ledger.looks(2, at: 5 * Self.second))
        #expect(ledger.take(commands(1, 2), at: 5 * Self.second) == commands(1))
        #expect(!ledger.looks(2, at: 12 * Self.second))
        #expect(ledger.looks(3, at: 13 * Self.second))
        #expect(ledger.take(commands(1, 2, 3), at: 13 * Self.second) == commands(3))
    }

    @Test("Those of a target that the node does not have yet wait for it")
    func waiting() {
        let ledger = Node()
        #expect(ledger.looks(1, at: 0))
        #expect(ledger.take(commands(1), at: 0, isKnown: false) == [])
        #expect(ledger.looks(1, at: 30 * Self.second) && ledger.position == 0)
        #expect(ledger.take(commands(1), at: 30 * Self.second) == commands(1))
        #expect(!ledger.looks(1, at: 31 * Self.second))
    }

    @Test("With other targets those of before are read again, and only the new ones are carried out")
    func takeover() {
        let ledger = Node()
        var found: [TargetCommand] = []
        for number in 1...100 {
            #expect(ledger.looks(Int64(number), at: UInt64(number) * Self.second))
            let new = commands(Int64(number))
            #expect(ledger.take(new, at: UInt64(number) * Self.second) == new)
            found += new
        }
        #expect(ledger.position > 0)
        ledger.targetsChanged()
        #expect(ledger.looks(100, at: 120 * Self.second) && ledger.position == 0)
        let missed = TargetCommand(id: 500, target: "b", action: .heartbeat(isFailure: true, detail: nil))
        let due = ledger.take(found + [missed], at: 120 * Self.second)
        #expect(due == [missed])
        #expect(ledger.position > 0)
    }

    @Test("In a table whose numbers begin again, commands are found again")
    func restored() {
        let ledger = Node()
        for number in 1...100 { _ = ledger.looks(Int64(1_000 + number), at: UInt64(number) * Self.second) }
        #expect(ledger.looks(3, at: 200 * Self.second) && ledger.position < 3)
        #expect(ledger.take(commands(3), at: 200 * Self.second) == commands(3))
    }
}
