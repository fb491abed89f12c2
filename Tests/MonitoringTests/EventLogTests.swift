// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Monitoring

@Suite("The event log")
struct EventLogTests {
    private func log(capacity: Int, bytes: Int = .max) -> EventLog {
        var settings = EventLogSettings()
        settings.capacity = capacity
        settings.maximumBytes = bytes
        return EventLog(settings: settings)
    }

    private let content = Event.Content.config(.rejected(faults: []))
    private let moment = Timestamp(milliseconds: 0)

    @Test("Numbers grow by one, and the oldest number of an empty log is the next one")
    func numbers() {
        var log = log(capacity: 10)
        #expect(log.head == 0)
        #expect(log.oldest == 1)
        for expected in 1...5 as ClosedRange<UInt64> {
            log.append(content, at: moment)
            #expect(log.head == expected)
        }
        #expect(log.oldest == 1)
        #expect(log.events(after: 0, limit: 100).map(\.sequence) == [1, 2, 3, 4, 5])
    }

    @Test("The ring equals a naive list at every position and limit")
    func ring() {
        for capacity in 1...7 {
            var log = log(capacity: capacity)
            var naive: [UInt64] = []
            for number in 1...40 as ClosedRange<UInt64> {
                log.append(content, at: moment)
                naive.append(number)
                if naive.count > capacity { naive.removeFirst() }
                #expect(log.oldest == naive[0])
                for after in 0...(number + 1) {
                    for limit in [0, 1, 3, 100] {
                        let wanted = Array(naive.filter { $0 > after }.prefix(limit))
                        #expect(log.events(after: after, limit: limit).map(\.sequence) == wanted)
                    }
                }
            }
        }
    }

    @Test("The byte limit drops the oldest event, never the newest")
    func bytes() {
        var log = log(capacity: 1000, bytes: 4096)
        for _ in 1...200 { log.append(content, at: moment) }
        #expect(log.count < 200)
        #expect(log.count > 10)
        log.append(.config(.rejected(faults: [String(repeating: "x", count: 10_000)])), at: moment)
        #expect(log.count == 1)
        #expect(log.head == 201)
    }

    @Test("No events follow a number beyond the last, even the largest")
    func future() {
        var log = log(capacity: 4)
        log.append(content, at: moment)
        #expect(log.events(after: .max, limit: 10).isEmpty)
    }

    @Test(
        "Events, declarations and results have small records; rare and large members are boxed"
    )
    func sizes() {
        #expect(MemoryLayout<Event>.stride <= 96)
        #expect(MemoryLayout<TargetSettings>.stride <= 256)
        #expect(MemoryLayout<StatusRecord>.stride == 8)
    }
}
