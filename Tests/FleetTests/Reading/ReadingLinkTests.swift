// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite("The connection for reading the fleet", .timeLimit(.minutes(15)))
struct ReadingLinkTests {
    @Test("It is opened by the first statement, and the statements that waited for it are executed in their order")
    func opening() throws {
        let link = try StoppedLink()
        link.run()
        #expect(link.attempts.isEmpty)
        link.execute("a", "b")
        link.execute("c")
        #expect(link.outcomes.events == ["a: done", "b: done", "c: done"])
        #expect(link.attempts.count == 1 && link.faults.events.isEmpty)
        #expect(link.statements() == ["check", "a", "b", "c"])
    }

    @Test("When it is lost in mid-statement, that one and those that wait fail with the reason, each once")
    func loss() throws {
        let link = try StoppedLink()
        link.execute("a")
        link.run { $0.database.isFrozen = true }
        link.execute("b", "c", "d")
        #expect(link.outcomes.events == ["a: done"])
        link.run { parts in
            parts.database.isFrozen = false
            parts.database.cut()
        }
        #expect(link.outcomes.events.dropFirst().sorted().map { $0.prefix(1) } == ["b", "c", "d"])
        #expect(link.outcomes.events.dropFirst().allSatisfy { $0.hasSuffix("cut") }, "\(link.outcomes.events)")
        #expect(link.faults.events.map { $0?.code } == ["connection_lost"])
        link.execute("e")
        #expect(link.outcomes.events.last == "e: connection_lost, cut" && link.attempts.count == 1)
        link.advance(by: .seconds(5))
        link.execute("f")
        #expect(link.outcomes.events.last == "f: done" && link.attempts.count == 2)
        #expect(link.faults.events.map { $0?.code } == ["connection_lost", nil])
    }

    @Test("Attempts to connect are delayed more and more, and statements in between fail at once with the reason")
    func backoff() throws {
        let link = try StoppedLink()
        link.run { $0.database.refusal = DatabaseError(.unreachable, "refused") }
        var delay = RetryDelay(random: SeededGenerator(seed: 7))
        link.execute("a")
        for number in 1...8 {
            #expect(link.attempts.count == number)
            let wait = delay.next()
            link.clock.advance(by: wait - 1)
            link.execute("a")
            #expect(link.attempts.count == number)
            link.clock.advance(by: 1)
            link.execute("a")
        }
        #expect(link.outcomes.count == 17 && Set(link.outcomes.events).count == 1, "\(link.outcomes.events)")
        // The same reason again is no change.
        #expect(link.faults.count == 1)
        link.run { $0.database.refusal = nil }
        link.advance(by: .seconds(5))
        link.execute("a")
        #expect(link.outcomes.events.last == "a: done" && link.faults.events.last == .some(nil))
    }

    @Test("A schema that cannot be used is the reason, and the connection is closed")
    func schema() throws {
        let link = try StoppedLink()
        link.run { $0.problem = FleetFault(code: "schema_too_new", message: "newer") }
        link.execute("a")
        #expect(link.outcomes.events == ["a: schema_too_new, newer"])
        link.execute("b")
        #expect(link.outcomes.events.last == "b: schema_too_new, newer" && link.attempts.count == 1)
        link.run { $0.problem = nil }
        link.advance(by: .seconds(5))
        link.execute("c")
        #expect(link.outcomes.events.last == "c: done" && link.attempts.count == 2)
    }

    @Test("It is closed when it was not needed for a minute, unless it is kept")
    func idle() throws {
        let link = try StoppedLink()
        let idle = Duration.nanoseconds(Int64(ReadingLink.idleTime))
        link.execute("a")
        link.run { $0.link.isKept = true }
        link.advance(by: idle)
        link.advance(by: idle)
        link.execute("b")
        #expect(link.attempts.count == 1)
        link.run { $0.link.isKept = false }
        link.advance(by: idle - .seconds(1))
        link.execute("c")
        link.advance(by: .seconds(1))
        link.execute("d")
        #expect(link.attempts.count == 1)
        link.advance(by: idle)
        link.advance(by: idle)
        link.execute("e")
        #expect(link.attempts.count == 2 && link.outcomes.events.allSatisfy { $0.hasSuffix("done") })
        // That nobody needed it is no fault.
        #expect(link.faults.events.isEmpty)
    }

    @Test("No more statements wait for it than may, and its end fails all")
    func limit() throws {
        let link = try StoppedLink()
        link.run { $0.database.isFrozen = true }
        for _ in 0..<ReadingLink.limit { link.execute("a") }
        #expect(link.outcomes.events.isEmpty)
        link.execute("b")
        #expect(link.outcomes.events == ["b: queue_full, \(ReadingLink.limit) statements are waiting"])
        link.run { $0.link.close() }
        #expect(link.outcomes.count == ReadingLink.limit + 1)
        #expect(link.outcomes.events.last == "a: closed, the node stops")
    }
}
