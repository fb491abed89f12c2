// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("When a coordinator reads")
struct PollPaceTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("The inbox is read every 25 ms for 5 s after the last row, and then only the nodes are looked at")
    func fastAndIdle() {
        var pace = PollPace(now: 0)
        pace.inboxRead(3, isFull: false, now: 0)
        #expect(pace.inboxAt == PollPace.fast)
        pace.inboxRead(0, isFull: false, now: 4 * Self.second)
        #expect(pace.inboxAt == 4 * Self.second + PollPace.fast)
        pace.inboxRead(0, isFull: false, now: 5 * Self.second)
        #expect(pace.inboxAt == nil)
        pace.looked(isPending: false, nextEnd: nil, now: 6 * Self.second)
        #expect(pace.inboxAt == nil && pace.lookAt == 6 * Self.second + PollPace.idleLook)
    }

    @Test("After a full batch the inbox is read at once")
    func fullBatch() {
        var pace = PollPace(now: 0)
        pace.inboxRead(4_096, isFull: true, now: 7)
        #expect(pace.inboxAt == 7)
    }

    @Test("A look that finds rows, and a report of this node, end the idle time")
    func wakeups() {
        var pace = PollPace(now: 0)
        pace.inboxRead(0, isFull: false, now: 0)
        #expect(pace.inboxAt == nil)
        pace.looked(isPending: true, nextEnd: nil, now: 10)
        #expect(pace.inboxAt == 10)
        pace.inboxRead(0, isFull: false, now: 10 * Self.second)
        pace.rowsArrived(11 * Self.second)
        #expect(pace.inboxAt == 11 * Self.second)
        pace.inboxRead(0, isFull: false, now: 11 * Self.second)
        #expect(pace.inboxAt == 11 * Self.second + PollPace.fast)
    }

    @Test("The end of a lease is looked at in time, and not again and again")
    func leaseEnds() {
        var pace = PollPace(now: 0)
        pace.looked(isPending: false, nextEnd: 100_000_000, now: 0)
        #expect(pace.lookAt == 100_000_000)
        pace.looked(isPending: false, nextEnd: 100_000_001, now: 100_000_000)
        #expect(pace.lookAt == 100_000_000 + PollPace.fast)
    }

    @Test("A claim waits longer with a longer way to the database, and at most half a second")
    func claimDelay() {
        let identity = NodeIdentity(name: "a", incarnation: 1)
        let delays = [Duration.milliseconds(-1), .milliseconds(1), .milliseconds(20), .seconds(5)].map {
            LeaseFacts(identity: identity, isVacant: true, roundTrip: $0).claimDelay
        }
        #expect(delays == [.zero, .milliseconds(8), .milliseconds(160), .milliseconds(500)])
    }
}

@Suite("The floor of the inbox's ids")
struct InboxFloorTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("The floor is the greatest id that was seen a minute ago")
    func age() {
        var floor = InboxFloor()
        floor.record(100, at: 0)
        floor.record(200, at: 30 * Self.second)
        floor.record(nil, at: 60 * Self.second)
        #expect(floor.id == 0)
        floor.record(nil, at: 62 * Self.second)
        #expect(floor.id == 100)
        floor.record(nil, at: 95 * Self.second)
        #expect(floor.id == 200)
    }

    @Test("An id is never below the floor before it is a minute old, however often ids are recorded")
    func manyRecords() {
        var floor = InboxFloor()
        var ids: [(at: UInt64, id: Int64)] = []
        for step in 0..<2_000 {
            let now = UInt64(step) * 100_000_000
            // Some ids are less than those before.
            let id = Int64(step * 10 - (step % 7) * 40)
            ids.append((now, id))
            floor.record(id, at: now)
            let old = ids.filter { now - $0.at >= InboxFloor.age }.map(\.id).max() ?? 0
            #expect(floor.id <= old)
        }
        #expect(floor.id > 10_000)
    }
}
