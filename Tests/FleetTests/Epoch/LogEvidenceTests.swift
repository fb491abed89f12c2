// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Fleet
@testable import PostgreSQL

@Suite("Evidence of lost events")
struct LogEvidenceTests {
    private static func evidence(
        newest: UInt64,
        stamp: Int64 = 9,
        oldest: UInt64 = 1,
        found: Int64? = nil
    ) -> LogEvidence {
        LogEvidence(newest: LogMark(epoch: "a", sequence: newest, stamp: stamp), oldest: oldest, found: found)
    }

    @Test("A log lacks an event when it ends before it, or has another one under its number")
    func lacks() {
        let mark = LogMark(epoch: "a", sequence: 7, stamp: 70)
        #expect(Self.evidence(newest: 6).lacks(mark))
        #expect(Self.evidence(newest: 7, stamp: 71).lacks(mark))
        #expect(!Self.evidence(newest: 7, stamp: 70).lacks(mark))
        #expect(Self.evidence(newest: 9, found: 71).lacks(mark))
        #expect(Self.evidence(newest: 9).lacks(mark))
        #expect(!Self.evidence(newest: 9, found: 70).lacks(mark))
        // The newest event can be older than what is kept, when nothing has happened for long.
        #expect(!Self.evidence(newest: 9, oldest: 8).lacks(mark))
        #expect(!Self.evidence(newest: 7, stamp: 70, oldest: 8).lacks(mark))
        #expect(!Self.evidence(newest: 3).lacks(LogMark(epoch: "b", sequence: 7, stamp: 70)))
        #expect(!Self.evidence(newest: 3).lacks(LogMark(epoch: "a", sequence: 0, stamp: 0)))
    }

    @Test(
        "An origin changes the epoch when the server is another one, or on a new timeline without a synchronous standby"
    )
    func origins() {
        let origin = LogOrigin(server: "1", timeline: "A")
        let durable = LogOrigin(server: "1", timeline: "A", isDurable: true)
        let promoted = LogOrigin(server: "1", timeline: "B")
        #expect(origin.succession(origin) == .same)
        #expect(LogOrigin().succession(origin) == .moved(origin))
        #expect(origin.succession(durable) == .moved(durable))
        #expect(durable.succession(origin) == .moved(origin))
        #expect(durable.succession(promoted) == .moved(promoted))
        guard case .lost(promoted, _) = origin.succession(promoted) else {
            Issue.record("a promotion without a synchronous standby keeps the epoch")
            return
        }
        // A backup of a server that had a synchronous standby.
        guard case .lost(promoted, _) = durable.succession(promoted, vacancy: .seconds(601)) else {
            Issue.record("a backup keeps the epoch")
            return
        }
        // A dump in another server begins with the first timeline, whatever standbys the old one had.
        let other = LogOrigin(server: "2", timeline: "A", isDurable: true)
        guard case .lost(other, _) = durable.succession(other) else {
            Issue.record("another server keeps the epoch")
            return
        }
        // What is unknown now was not lost, and is remembered.
        #expect(durable.succession(LogOrigin()) == .moved(origin))
    }

    @Test("What was seen only grows within an epoch, and is kept while there is a doubt")
    func seen() {
        let seen = SeenLog()
        seen.doubt()
        #expect(seen.mark == nil && !seen.isDoubted)
        let first = LogMark(epoch: "a", sequence: 5, stamp: 50)
        seen.record(first)
        seen.record(LogMark(epoch: "a", sequence: 4, stamp: 40))
        // A number that was given again is no newer one.
        seen.record(LogMark(epoch: "a", sequence: 5, stamp: 51))
        #expect(seen.mark == first)
        seen.doubt()
        seen.record(LogMark(epoch: "a", sequence: 9, stamp: 90))
        #expect(seen.mark == first && seen.isDoubted)
        let settled = LogMark(epoch: "b", sequence: 3, stamp: 30)
        seen.settle(settled)
        #expect(seen.mark == settled && !seen.isDoubted)
        seen.record(first)
        #expect(seen.mark == first)
    }
}
