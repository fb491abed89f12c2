// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Fleet

/// The row of a name in the database, by the same clock as the node's for simplicity.
private struct NaiveRow {
    var incarnation: Int64
    var until: UInt64
}

@Suite("A node's lease in random histories") struct NodeLeaseWalkTests {
    private static let length: UInt64 = 5_000_000_000

    @Test(
        "In random histories the lease never outlasts what the database has, and a replaced node does nothing any more",
        arguments: 0..<300
    )
    func walk(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var lease = NodeLease(name: "n", length: .seconds(5), random: SeededGenerator(seed: UInt64(seed) + 1_000))
        var row: NaiveRow?
        var now: UInt64 = 0
        var own: Int64?
        /// The latest end that any statement that reached the database can have granted.
        var granted: UInt64 = 0
        var isReplaced = false

        func check() {
            if let until = lease.validUntil { #expect(until <= granted) }
            guard lease.isValid(at: now) else { return }
            // Another process that took the name ends the claim with the next renewal.
            if let row, row.incarnation == own { #expect(row.until >= now) }
        }

        for _ in 0..<400 {
            now += UInt64.random(in: 0...800_000_000, using: &random)
            if random.once(in: 120) {
                // Another process with the same name.
                row = NaiveRow(incarnation: (row?.incarnation ?? 0) + 1, until: now + Self.length)
            }
            if random.once(in: 150) { row = nil }
            if random.once(in: 40) { lease.disconnected(at: now) }
            if random.once(in: 30) { lease.isHealthy.toggle() }
            if random.once(in: 300) { now += 60_000_000_000 }
            check()
            let step = lease.step(at: now)
            if isReplaced {
                #expect(step == .end)
                continue
            }
            guard case .start(let operation) = step else { continue }
            lease.begin(operation, at: now)
            now += UInt64.random(in: 0...300_000_000, using: &random)
            lease.sent(at: now)
            let sent = now
            now += UInt64.random(in: 0...1_500_000_000, using: &random)
            let reaches = !random.once(in: 6)
            let executed = UInt64.random(in: sent...now, using: &random)
            now += UInt64.random(in: 0...1_500_000_000, using: &random)
            // Whatever the node learns, the database may have executed the statement.
            let isAnswered = reaches && !random.once(in: 6)
            switch operation {
            case .connect:
                if isAnswered { lease.connected() }
            case .register:
                if reaches {
                    row = NaiveRow(incarnation: (row?.incarnation ?? 0) + 1, until: executed + Self.length)
                }
                if isAnswered, let row {
                    own = row.incarnation
                    granted = max(granted, sent + Self.length)
                    lease.registered(as: row.incarnation)
                }
            case .renew(let isDeparting):
                #expect(!isDeparting)
                let matches = row != nil && row?.incarnation == own
                if reaches, matches { row?.until = executed + Self.length }
                if isAnswered, matches {
                    granted = max(granted, sent + Self.length)
                    lease.renewed()
                } else if isAnswered {
                    lease.rowMissing()
                }
            case .inspect:
                if isAnswered {
                    _ = lease.inspected(row?.incarnation, at: now)
                    if let row, let own, row.incarnation > own { isReplaced = true }
                }
            }
            if !isAnswered {
                if random.once(in: 2) { lease.disconnected(at: now) } else { lease.failed(at: now) }
            }
            if case .replaced = lease.membership { #expect(isReplaced) }
            check()
        }
        // When everything works again, the node is a member after a few steps, unless it was replaced.
        lease.isHealthy = true
        for _ in 0..<20 where !isReplaced {
            now += 6_000_000_000
            guard case .start(let operation) = lease.step(at: now) else { continue }
            lease.begin(operation, at: now)
            switch operation {
            case .connect: lease.connected()
            case .register:
                row = NaiveRow(incarnation: (row?.incarnation ?? 0) + 1, until: now + Self.length)
                own = row?.incarnation
                lease.registered(as: row?.incarnation ?? 0)
            case .renew:
                if let row, row.incarnation == own { lease.renewed() } else { lease.rowMissing() }
            case .inspect:
                _ = lease.inspected(row?.incarnation, at: now)
                if let row, let own, row.incarnation > own { isReplaced = true }
            }
        }
        #expect(isReplaced || lease.isValid(at: now))
    }
}
