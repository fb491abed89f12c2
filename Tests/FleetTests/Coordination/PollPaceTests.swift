// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("When a coordinator reads")
struct PollPaceTests {
    private static let second: UInt64 = 1_000_000_000
    private static let lease = Duration.seconds(5)

    @Test("The inbox is read every 25 ms for 5 s after the last row; then there are looks, two fifths of a lease apart")
    func fastAndIdle() {
        for (isNotified, idle) in [(true, 2 * Self.second), (false, 250_000_000)] {
            var pace = PollPace(now: 0)
            pace.isNotified = isNotified
            pace.inboxRead(3, isFull: false, now: 0)
            #expect(pace.inboxAt == PollPace.fast)
            pace.looked(isPending: false, lease: Self.lease, nextEnd: nil, now: Self.second)
            #expect(pace.lookAt == Self.second + PollPace.look)
            pace.inboxRead(0, isFull: false, now: 4 * Self.second)
            #expect(pace.inboxAt == 4 * Self.second + PollPace.fast)
            pace.inboxRead(0, isFull: false, now: 5 * Self.second)
            #expect(pace.inboxAt == nil)
            pace.looked(isPending: false, lease: Self.lease, nextEnd: nil, now: 6 * Self.second)
            #expect(pace.inboxAt == nil && pace.lookAt == 6 * Self.second + idle)
        }
    }

    @Test("Nodes may have reported without a notification shortly before a term: it begins with fast reads")
    func beginning() {
        var pace = PollPace(now: 0)
        pace.inboxRead(0, isFull: false, now: 4 * Self.second)
        #expect(pace.inboxAt == 4 * Self.second + PollPace.fast)
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
        pace.inboxRead(0, isFull: false, now: 5 * Self.second)
        #expect(pace.inboxAt == nil)
        pace.looked(isPending: true, lease: Self.lease, nextEnd: nil, now: 6 * Self.second)
        #expect(pace.inboxAt == 6 * Self.second)
        pace.inboxRead(0, isFull: false, now: 12 * Self.second)
        #expect(pace.inboxAt == nil)
        pace.rowsArrived(13 * Self.second)
        #expect(pace.inboxAt == 13 * Self.second)
        pace.inboxRead(0, isFull: false, now: 13 * Self.second)
        #expect(pace.inboxAt == 13 * Self.second + PollPace.fast)
    }

    @Test("A notification brings the look forward, 25 ms after the last one at the earliest")
    func notification() {
        var pace = PollPace(now: 0)
        pace.isNotified = true
        pace.lookBegins()
        pace.looked(isPending: false, lease: Self.lease, nextEnd: nil, now: Self.second)
        pace.notified(Self.second + 1)
        #expect(pace.lookAt == Self.second + PollPace.fast)
        pace.lookBegins()
        // The look that has begun may not show what is notified meanwhile.
        pace.notified(2 * Self.second)
        pace.looked(isPending: false, lease: Self.lease, nextEnd: nil, now: 2 * Self.second + 5)
        #expect(pace.lookAt == 2 * Self.second + 5 + PollPace.fast)
        pace.lookBegins()
        pace.looked(isPending: false, lease: .seconds(60), nextEnd: nil, now: 10 * Self.second)
        #expect(pace.lookAt == 10 * Self.second + PollPace.look)
    }

    @Test("A node that reports without a notification does so while the inbox is read fast")
    func quietTime() { #expect(PollPace.quietTime + 2 * Self.second <= PollPace.fastTime) }

    @Test("The end of a lease is looked at in time, and not again and again")
    func leaseEnds() {
        var pace = PollPace(now: 0)
        pace.looked(isPending: false, lease: Self.lease, nextEnd: 100_000_000, now: 0)
        #expect(pace.lookAt == 100_000_000)
        pace.looked(isPending: false, lease: Self.lease, nextEnd: 100_000_001, now: 100_000_000)
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
