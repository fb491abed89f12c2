// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import LinuxIO

struct TimerQueueTests {
    @Test("in the order of deadlines, and of setting within one, against a sorted list")
    func order() {
        let clock = ManualClock(at: 0)
        var queue = TimerQueue()
        var model: [(deadline: UInt64, token: UInt64)] = []
        let fired = Record<UInt64>()
        for token in 1...2_000 as ClosedRange<UInt64> {
            let deadline = UInt64.random(in: 0..<500)
            queue.insert(deadline: deadline, token: token) { fired.append(token) }
            model.append((deadline, token))
        }
        for _ in 0..<700 {
            let cancelled = model.remove(at: .random(in: model.indices))
            #expect(queue.remove(token: cancelled.token) != nil)
            #expect(queue.remove(token: cancelled.token) == nil)
        }
        clock.advance(by: 500)
        while let handler = queue.popDue(at: clock, upTo: .max) { handler() }
        #expect(fired.all == model.sorted { ($0.deadline, $0.token) < ($1.deadline, $1.token) }.map(\.token))
        #expect(queue.timeout(at: clock) == -1)
    }

    @Test("milliseconds for epoll_wait: rounded up, never early, none without a timer, no overflow")
    func timeouts() {
        let clock = ManualClock(at: 1_000)
        var queue = TimerQueue()
        #expect(queue.timeout(at: clock) == -1)
        queue.insert(deadline: .max, token: 1) {}
        #expect(queue.timeout(at: clock) == .max)
        queue.insert(deadline: 1_001, token: 2) {}
        #expect(queue.timeout(at: clock) == 1)
        clock.advance(by: 1)
        #expect(queue.timeout(at: clock) == 0)
        _ = queue.remove(token: 2)
        queue.insert(deadline: 1_001 + 2_000_000, token: 3) {}
        #expect(queue.timeout(at: clock) == 2)
        _ = queue.remove(token: 3)
        _ = queue.remove(token: 1)
        #expect(queue.timeout(at: clock) == -1)
    }

    @Test("a timer newer than the round waits for the next one")
    func rounds() {
        var queue = TimerQueue()
        queue.insert(deadline: 0, token: 5) {}
        #expect(queue.popDue(at: ManualClock(), upTo: 4) == nil)
        #expect(queue.popDue(at: ManualClock(), upTo: 5) != nil)
    }

    @Test("a timer that is set far ahead and cancelled again and again leaves nothing behind")
    func sweep() {
        var queue = TimerQueue()
        queue.insert(deadline: 1, token: 1) {}
        for token in 2...100_000 as ClosedRange<UInt64> {
            queue.insert(deadline: .max, token: token) {}
            _ = queue.remove(token: token)
            if queue.entryCount > 100 { break }
        }
        #expect(queue.entryCount <= 100)
        #expect(queue.popDue(at: ManualClock(), upTo: 1) != nil)
    }
}
