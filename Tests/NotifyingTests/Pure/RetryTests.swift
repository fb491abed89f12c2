// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import Notifying

@Suite struct RetryTests {
    @Test("pauses double from the first to the longest, give or take a fifth")
    func pauses() {
        var random = SeededGenerator(seed: 1)
        let pause = RetryPause(RetrySettings())
        for failures in 1...200 {
            let seconds = Double(pause.next(failures: failures, random: &random)) / 1e9
            let wanted = failures > 9 ? 300 : min(300, Double(1 << (failures - 1)))
            #expect(seconds >= wanted * 0.8 && seconds <= wanted * 1.2, "\(failures): \(seconds)")
        }
        // They are not all the same.
        #expect(Set((0..<20).map { _ in pause.next(failures: 4, random: &random) }).count > 10)
    }

    @Test("Retry-After is waited for, and not for ever")
    func wishes() {
        var random = SeededGenerator(seed: 1)
        let pause = RetryPause(RetrySettings())
        #expect(pause.next(failures: 1, wish: 30, random: &random) == 30 * second)
        #expect(pause.next(failures: 1, wish: 0, random: &random) <= 2 * second)
        #expect(pause.next(failures: 1, wish: .max, random: &random) == 3600 * second)
        #expect(pause.next(failures: 20, wish: 3, random: &random) >= 240 * second)
    }

    @Test("RFC 9110: Retry-After is a number of seconds or a date")
    func retryAfter() throws {
        let now = try #require(Timestamp(parsing: "2015-10-21T07:27:30Z"))
        #expect(RetryAfter.seconds("120", now: now) == 120)
        #expect(RetryAfter.seconds("0", now: now) == 0)
        #expect(RetryAfter.seconds("Wed, 21 Oct 2015 07:28:00 GMT", now: now) == 30)
        #expect(RetryAfter.seconds("Wed, 21 Jan 2015 07:28:00 GMT", now: now) == 0)
        for text in [
            "", "-1", "+3", "soon", "1.5", "Wed, 21 Foo 2015 07:28:00 GMT", "Wed, 41 Oct 2015 07:28:00 GMT", "1e9",
        ] {
            #expect(RetryAfter.seconds(text, now: now) == nil, "\(text)")
        }
    }

    @Test("2xx is taken, 408, 425, 429 and 5xx come again, all else is refused")
    func statuses() {
        for status in 100...599 {
            switch SendOutcome(status: status, retryAfter: 7) {
            case .accepted: #expect((200...299).contains(status))
            case .failed(let failure, let retryAfter):
                #expect([408, 425, 429].contains(status) || status >= 500)
                #expect(failure.code == "http_\(status)" && retryAfter == 7)
            case .refused: #expect(status < 200 || (300...499).contains(status) && ![408, 425, 429].contains(status))
            }
        }
    }
}
