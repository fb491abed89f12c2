// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import TestSupport
import Testing

@Suite("Assignment in random lives of a fleet")
struct AssignmentLivesTests {
    /// 10^4 lives take minutes in a debug build.
    private static let lives = 1_000
    private static let steps = 30

    @Test("Every step keeps the invariants of a naive model")
    func random() throws {
        var seen: Set<String> = []
        for life in 0..<Self.lives {
            var fleet = try RandomFleet(seed: UInt64(life))
            for step in 0..<Self.steps {
                let faults = fleet.step()
                guard faults.isEmpty else {
                    Issue.record("life \(life), step \(step): \(faults)")
                    return
                }
            }
            seen.formUnion(fleet.seen)
        }
        #expect(seen == ["balanced", "dead", "late", "shed", "drained", "unassigned", "held", "ample", "silent"])
    }
}
