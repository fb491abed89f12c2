// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Notifying

@Suite struct MessageQueueTests {
    private func queue(_ targets: [String], refusals: Int = 3) -> MessageQueue {
        var settings = RetrySettings()
        settings.refusals = refusals
        var queue = MessageQueue(settings, random: SeededGenerator(seed: 1))
        for (index, target) in targets.enumerated() {
            let number = UInt64(index) + 1
            queue.append(Message(.sample(number, target), covers: SequenceSet(number...number)))
        }
        return queue
    }

    private func take(_ queue: inout MessageQueue, now: UInt64 = 0) -> [UInt64] {
        var numbers: [UInt64] = []
        while let sending = queue.next(now: now) { numbers.append(sending.message.sequence) }
        return numbers
    }

    private let fault = DeliveryFailure(code: "http_500", detail: "no")

    @Test("messages about several targets are under way at once, of one target one after the other")
    func order() {
        var queue = queue(["a", "a", "b", "c", "d", "e"])
        #expect(take(&queue) == [1, 3, 4, 5])
        #expect(queue.finish(1, .accepted(status: 200), now: 0) == .delivered(SequenceSet(1...1)))
        #expect(take(&queue) == [2])
        #expect(queue.finish(3, .accepted(status: 200), now: 0) != nil)
        #expect(take(&queue) == [6])
        #expect(queue.finish(3, .accepted(status: 200), now: 0) == nil)
    }

    @Test("a failing receiver stops all messages, then one message tries it, then all continue")
    func pauses() throws {
        var queue = queue(["a", "b", "c", "d", "e"])
        #expect(take(&queue) == [1, 2, 3, 4])
        for token in 1...4 as ClosedRange<UInt64> {
            #expect(queue.finish(token, .failed(fault, retryAfter: nil), now: 0) == .kept(fault))
        }
        #expect(take(&queue) == [])
        let deadline = try #require(queue.deadline)
        #expect(deadline > 0 && take(&queue, now: deadline - 1) == [])
        #expect(take(&queue, now: deadline) == [1])
        #expect(queue.deadline == nil)
        #expect(queue.finish(1, .accepted(status: 204), now: deadline) != nil)
        #expect(take(&queue, now: deadline) == [2, 3, 4, 5])
    }

    @Test("a refused message waits alone, keeps its target's order, and is given up")
    func refusals() throws {
        var queue = queue(["a", "a", "b"])
        #expect(take(&queue) == [1, 3])
        #expect(queue.finish(1, .refused(fault), now: 0) == .kept(fault))
        #expect(queue.finish(3, .accepted(status: 200), now: 0) != nil)
        #expect(take(&queue) == [])
        var now: UInt64 = 0
        for attempt in 2...3 {
            now = try #require(queue.deadline)
            #expect(take(&queue, now: now) == [1])
            let settlement = queue.finish(1, .refused(fault), now: now)
            if attempt == 3 {
                guard case .givenUp(let message, let reason)? = settlement else {
                    Issue.record("\(attempt)")
                    return
                }
                #expect(message.covers == SequenceSet(1...1) && reason == fault)
            } else {
                #expect(settlement == .kept(fault))
            }
        }
        #expect(take(&queue, now: now) == [2])
    }

    @Test("only refusals count towards giving up: a receiver that was away long refuses as often as any other")
    func refusalAfterFailures() throws {
        var queue = queue(["a"])
        var now: UInt64 = 0
        for _ in 1...10 {
            #expect(take(&queue, now: now) == [1])
            #expect(queue.finish(1, .failed(fault, retryAfter: nil), now: now) == .kept(fault))
            now = try #require(queue.deadline)
        }
        for _ in 1...2 {
            #expect(take(&queue, now: now) == [1])
            #expect(queue.finish(1, .refused(fault), now: now) == .kept(fault))
            now = try #require(queue.deadline)
        }
        let last = queue.next(now: now)
        #expect(last?.attempt == 13)
        guard case .givenUp? = queue.finish(1, .refused(fault), now: now) else {
            Issue.record("the third refusal ends it")
            return
        }
    }
}
