// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import Fleet

@Suite("Delays before another attempt") struct RetryDelayTests {
    @Test("Delays begin at 0.2 seconds, double, and stay between 2.5 and 5 seconds, also after many failures")
    func growth() {
        var delay = RetryDelay(random: SeededGenerator(seed: 1))
        let ceilings: [UInt64] = [400, 800, 1_600, 3_200, 5_000, 5_000]
        for ceiling in ceilings {
            let next = delay.next()
            #expect((ceiling * 500_000)...(ceiling * 1_000_000) ~= next)
        }
        for _ in 0..<1_000 { #expect(2_500_000_000...5_000_000_000 ~= delay.next()) }
        delay.reset()
        #expect(200_000_000...400_000_000 ~= delay.next())
    }
}
