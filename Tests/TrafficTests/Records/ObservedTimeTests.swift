// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Traffic

@Suite("The share of time that was observed") struct ObservedTimeTests {
    private static let minute = ObservedTime.minute

    @Test("is 0 before, 1 during and a part around a subscription")
    func shares() {
        var time = ObservedTime(capacity: 60, at: 0)
        time.settle(at: Self.minute / 2)
        #expect(time.share(ofMinute: 0, at: Self.minute / 2) == 0)
        time.update(isObserving: true, at: Self.minute / 2)
        time.settle(at: Self.minute)
        #expect(time.share(ofMinute: 0, at: Self.minute) == 0.5)
        time.update(isObserving: false, at: 2 * Self.minute + Self.minute / 4)
        time.settle(at: 3 * Self.minute)
        #expect(time.share(ofMinute: 1, at: 3 * Self.minute) == 1)
        #expect(time.share(ofMinute: 2, at: 3 * Self.minute) == 0.25)
        // The present minute, so far empty, and the two before.
        #expect(time.share(ofLast: 3, at: 3 * Self.minute) == 0.625)
    }

    @Test("the first minute counts from the start, the present one until now")
    func ends() {
        let start = 10 * Self.minute + Self.minute / 2
        var time = ObservedTime(capacity: 60, at: start)
        time.update(isObserving: true, at: start)
        let now = start + Self.minute / 4
        time.settle(at: now)
        #expect(time.share(ofMinute: 10, at: now) == 1)
        #expect(time.share(ofLast: 60, at: now) == 1)
    }

    @Test("a sample of one second in thirty is a thirtieth")
    func samples() {
        var time = ObservedTime(capacity: 60, at: 0)
        for second in 0..<UInt64(300) {
            time.update(isObserving: second % 30 == 7, at: second * 1_000_000_000)
        }
        let now = 300 * UInt64(1_000_000_000)
        time.settle(at: now)
        for minute in 0..<UInt64(5) { #expect(abs(time.share(ofMinute: minute, at: now) - 1 / 30) < 1e-9) }
    }

    @Test("a year without a call costs one ring, and old minutes are gone")
    func bounded() {
        var time = ObservedTime(capacity: 60, at: 0)
        time.update(isObserving: true, at: 0)
        let now = 525_600 * Self.minute
        time.settle(at: now)
        #expect(time.share(ofMinute: 1, at: now) == 0)
        #expect(time.share(ofMinute: 525_599, at: now) == 1)
        #expect(time.share(ofLast: 60, at: now) == 1)
        time.overrun(at: now)
        time.overrun(at: now)
        #expect(time.overruns(inMinute: 525_600) == 2)
        #expect(time.overruns(inMinute: 525_599) == 0)
    }
}
