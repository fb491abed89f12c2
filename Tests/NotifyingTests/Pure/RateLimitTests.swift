// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Notifying

@Suite struct RateLimitTests {
    @Test("beyond its limit the targets with the oldest last message are forgotten, and no other")
    func eviction() {
        var pace = MessageRate()
        pace.perTarget = 1
        var limit = RateLimit(pace)
        // All within one window of ten minutes: none is forgotten for its age.
        limit.note("busy", at: 0)
        for index in 0..<Int64(RateLimit.targetLimit) * 2 {
            limit.note("target-\(index)", at: index)
            if index % 500 == 0 { limit.note("busy", at: index) }
            #expect(limit.earliest("busy", at: index) > index, "\(index)")
        }
        let last = Int64(RateLimit.targetLimit) * 2 - 1
        for index in (last - 8_000)...last { #expect(limit.earliest("target-\(index)", at: last) > last) }
        #expect(limit.earliest("target-0", at: last) == .min)
        #expect(limit.count <= RateLimit.targetLimit)
    }
}
