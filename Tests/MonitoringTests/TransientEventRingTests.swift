// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Testing

@testable import Monitoring

@Suite("The transient event ring")
struct LiveLogTests {
    private static func event(_ number: Int) -> TransientEvent {
        TransientEvent(
            at: Timestamp(milliseconds: Int64(number)),
            content: .activity(ActivityStatus(state: .active, isVisible: true, count: number))
        )
    }

    private static func numbers(_ events: [TransientEvent]) -> [Int] {
        events.compactMap { event in
            if case .activity(let status) = event.content { status.count } else { nil }
        }
    }

    @Test("Events are read in order after a position, also past the ring's end and after a reset")
    func reading() {
        var log = TransientEventRing()
        #expect(log.events(after: 0, limit: .max).isEmpty)
        for number in 1...10_000 { log.append(Self.event(number)) }
        #expect(log.head == 10_000)
        #expect(log.oldest == 10_000 - UInt64(TransientEventRing.capacity) + 1)
        #expect(Self.numbers(log.events(after: 9_990, limit: .max)) == Array(9_991...10_000))
        #expect(Self.numbers(log.events(after: 0, limit: 2)) == [Int(log.oldest), Int(log.oldest) + 1])
        #expect(log.events(after: 10_000, limit: 5).isEmpty)
        log.beginReading()
        log.endReading()
        #expect(log.events(after: 0, limit: .max).isEmpty)
        for number in 10_001...10_003 { log.append(Self.event(number)) }
        #expect(Self.numbers(log.events(after: 0, limit: .max)) == [10_001, 10_002, 10_003])
        #expect(Self.numbers(log.events(after: 10_001, limit: .max)) == [10_002, 10_003])
        for number in 10_004...20_000 { log.append(Self.event(number)) }
        #expect(Self.numbers(log.events(after: 19_998, limit: .max)) == [19_999, 20_000])
    }
}
