// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Traffic

@Suite("The ration of the subscription") struct SubscriptionRationTests {
    private static let second = SubscriptionRation.second

    @Test("up to the limit in a second the subscription stays, without a timer")
    func below() {
        var ration = SubscriptionRation(limit: 2000, at: 0)
        for turn in 0..<10 {
            let start = UInt64(turn) * Self.second
            for message in 0..<2000 { #expect(ration.count(1, at: start + UInt64(message)) == nil) }
            #expect(ration.deadline == nil)
        }
        #expect(ration.isSubscribed)
        #expect(!ration.isRationed)
    }

    @Test("above the limit it is left at once, and sampled for one second in thirty")
    func above() throws {
        var ration = SubscriptionRation(limit: 2000, at: 0)
        #expect(ration.count(2000, at: 5) == nil)
        #expect(ration.count(1, at: 6) == .leave)
        #expect(!ration.isSubscribed)
        #expect(ration.isRationed)
        // What was received before is still read.
        #expect(ration.count(500, at: 7) == nil)
        var now = UInt64(6)
        var subscribed: UInt64 = 0
        for _ in 0..<5 {
            let away = try #require(ration.deadline)
            #expect(ration.advance(to: away - 1) == nil)
            #expect(ration.advance(to: away) == .join)
            #expect(ration.isSubscribed && ration.isRationed)
            let end = try #require(ration.deadline)
            #expect(ration.count(90_000, at: end - 1) == nil)
            #expect(ration.advance(to: end) == .leave)
            subscribed += end - away
            #expect(end - now == 30 * Self.second)
            now = end
        }
        #expect(subscribed == 5 * Self.second)
    }

    @Test("a sample below three quarters of the limit ends the ration, one above it does not")
    func recovery() throws {
        var ration = SubscriptionRation(limit: 2000, at: 0)
        #expect(ration.count(2001, at: 1) == .leave)
        for (count, isOver) in [(1500, false), (1499, true)] {
            let away = try #require(ration.deadline)
            #expect(ration.advance(to: away) == .join)
            #expect(ration.count(count, at: away + 1) == nil)
            let end = try #require(ration.deadline)
            #expect(ration.advance(to: end) == (isOver ? nil : .leave))
            #expect(ration.isRationed == !isOver)
        }
        #expect(ration.deadline == nil)
        #expect(ration.isSubscribed)
        // The window of the rate begins anew.
        #expect(ration.count(2000, at: 100 * Self.second) == nil)
    }
}
