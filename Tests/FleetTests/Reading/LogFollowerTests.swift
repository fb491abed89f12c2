// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Fleet
@testable import PostgreSQL

@Suite("Looks at the fleet's log", .timeLimit(.minutes(15)))
struct LogFollowerTests {
    @Test("There is a look once a second and after each notification while there is a reader, and none without")
    func looks() throws {
        let link = try StoppedLink()
        let log = try link.makeLog()
        link.advance(by: .seconds(5))
        #expect(link.statements().isEmpty && link.attempts.isEmpty)
        _ = log.beginFollowing()
        link.run()
        #expect(link.statements().sorted() == ["check", "listen", "log", "read_schema"])
        for _ in 0..<3 {
            link.advance(by: .milliseconds(999))
            #expect(link.statements().isEmpty)
            link.advance(by: .milliseconds(1))
            #expect(link.statements() == ["log"])
        }
        link.run {
            $0.database.connections[0].notified?(DatabaseNotification(channel: "reachd", payload: "7", process: 1))
        }
        #expect(link.statements() == ["log"])
        // Another reader looks at once, and its end is not that of the first.
        _ = log.beginFollowing()
        link.run()
        log.endFollowing()
        link.advance(by: .seconds(1))
        #expect(link.statements() == ["log", "log"])
        log.endFollowing()
        for _ in 0..<200 { link.advance(by: .seconds(1)) }
        link.run {
            $0.database.connections[0].notified?(DatabaseNotification(channel: "reachd", payload: "8", process: 1))
        }
        #expect(link.statements().isEmpty)
        // The connection was closed meanwhile.
        _ = log.beginFollowing()
        link.run()
        #expect(link.statements().sorted() == ["check", "listen", "log", "read_schema"] && link.attempts.count == 2)
    }

    @Test("A look that fails is repeated a second later, and the log is not current before")
    func failure() throws {
        let link = try StoppedLink()
        let log = try link.makeLog()
        link.run { $0.database.failures["log"] = DatabaseError(.outOfResources, "out of memory") }
        let ticket = log.beginFollowing()
        link.run()
        link.advance(by: .seconds(1))
        #expect(link.statements().filter { $0 == "log" } == ["log", "log"])
        #expect(!log.isCurrent(since: ticket))
        link.run { parts in
            parts.database.failures = [:]
            parts.database.answers["log"] = [.success(Self.page(head: 7, oldest: 3))]
        }
        link.advance(by: .seconds(1))
        #expect(log.isCurrent(since: ticket) && !log.isCurrent(since: ticket + 3))
        #expect(log.extent == LogExtent(epoch: "a1", oldest: 3, newest: 7))
        // Only a look that begins later is as new as a later reader.
        let outdated = Recorder<UInt64>()
        link.run { _ in
            // On the loop's thread no look can begin between the two.
            let later = log.beginFollowing()
            if !log.isCurrent(since: later) { outdated.record(later) }
        }
        let later = try #require(outdated.events.first)
        #expect(log.isCurrent(since: later))
    }

    @Test(
        "A reader waits for the last of several pages, and the events of another epoch are not recalled under this one"
    )
    func pages() throws {
        let link = try StoppedLink()
        let log = try link.makeLog()
        link.run { $0.database.answers["log"] = [.success(Self.page(head: 0))] }
        _ = log.beginFollowing()
        link.run()
        #expect(log.extent.newest == 0)
        link.run {
            $0.database.answers["log"] = [
                .success(Self.page(1...1_024, head: 1_030)), .failure(DatabaseError(.outOfResources, "later")),
                .success(Self.page(1_025...1_030, head: 1_030)),
            ]
        }
        let ticket = log.beginFollowing()
        link.run()
        #expect(log.extent.newest == 1_024 && !log.isCurrent(since: ticket))
        link.advance(by: .seconds(1))
        #expect(log.extent.newest == 1_030 && log.isCurrent(since: ticket))
        link.run { $0.database.answers["log_recall"] = [.success(Self.page(1...1, head: 5, epoch: "b2"))] }
        let recalled = Recorder<EventSlice<RecordedEvent>?>()
        log.recall(after: 0, limit: 10) { recalled.record($0) }
        link.run()
        #expect(recalled.events.count == 1 && recalled.events[0] == nil)
    }

    @Test("A log that does not continue what was read is doubted, and so is the one that is read first after a break")
    func doubts() throws {
        let link = try StoppedLink()
        let log = try link.makeLog()
        link.run { $0.database.answers["log"] = [.success(Self.page(head: 3))] }
        _ = log.beginFollowing()
        link.run()
        #expect(link.seen.mark == LogMark(epoch: "a1", sequence: 3, stamp: 1) && !link.seen.isDoubted)
        link.run { $0.database.answers["log"] = [.success(Self.page(4...5, head: 5, stamp: "2", found: nil))] }
        link.advance(by: .seconds(1))
        #expect(link.seen.mark?.sequence == 5 && log.sequence == 5)
        // The events 4 and 5 are others by now, and 6 follows them.
        link.run { $0.database.answers["log"] = [.success(Self.page(6...6, head: 6, stamp: "4", found: "3"))] }
        link.advance(by: .seconds(1))
        #expect(link.seen.mark == LogMark(epoch: "a1", sequence: 5, stamp: 2) && link.seen.isDoubted)
        link.seen.settle(LogMark(epoch: "a1", sequence: 6, stamp: 4))
        log.endFollowing()
        for _ in 0..<2 { link.advance(by: .seconds(1)) }
        _ = log.beginFollowing()
        link.run()
        #expect(link.seen.isDoubted)
    }

    /// An answer of the log's statements.
    private static func page(
        _ numbers: ClosedRange<Int>? = nil,
        head: Int,
        oldest: Int = 1,
        epoch: String = "a1",
        stamp: String = "1",
        found: String? = "1"
    ) -> DatabaseRows {
        let first: [String?] = [epoch, "\(head)", "\(oldest)", "2026-10-01"]
        guard let numbers else {
            return Rows.make([first + [String?](repeating: nil, count: 12) + [stamp, found, nil]])
        }
        return Rows.make(
            numbers.map {
                first + ["\($0)", "1", "state", "t", nil, "{}", "up", "down", nil, "target", "{}", "2026-10-01"]
                    + [stamp, found, stamp]
            }
        )
    }
}
