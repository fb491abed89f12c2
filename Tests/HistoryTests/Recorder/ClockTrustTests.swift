// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@testable import History

@Suite("A wall clock is trusted with ages only while it goes right")
struct ClockTrustTests {
    @Test("After ten minutes in step it is; a jump, forward or back, makes it begin again")
    func probation() {
        var trust = ClockTrust(wall: Timestamp(milliseconds: 5), monotonic: 0)
        var (wall, monotonic): (Int64, UInt64) = (5, 0)
        func look(after seconds: Int64, jump: Int64 = 0) -> Timestamp? {
            wall += seconds * 1000 + jump
            monotonic += UInt64(seconds) * 1_000_000_000
            return trust.look(wall: Timestamp(milliseconds: wall), monotonic: monotonic)
        }
        #expect(look(after: 599) == nil)
        #expect(look(after: 1) == Timestamp(milliseconds: wall))
        #expect(look(after: 3600, jump: 59_000) != nil)
        #expect(look(after: 1, jump: 365 * 86_400_000) == nil)
        #expect(look(after: 599) == nil)
        #expect(look(after: 1) != nil)
        #expect(look(after: 1, jump: -61_000) == nil)
        #expect(look(after: 600) != nil)
        #expect(trust.look(wall: Timestamp(milliseconds: .min), monotonic: monotonic + 1) == nil)
        #expect(trust.look(wall: Timestamp(milliseconds: .max), monotonic: monotonic + 2) == nil)
    }
}
