// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Testing

@Suite("24 hours of virtual time")
struct VirtualDayTests {
    @Test("200 targets with random faults: no lost transition, no stuck target, no drift", .timeLimit(.minutes(15)))
    func day() throws {
        var day = try VirtualDay(seed: 20_261_121, targets: 200)
        day.run()
        #expect(day.faults.isEmpty, "\(day.faults.prefix(5))")
        for (index, target) in day.targets.enumerated() {
            #expect(target.transitions == target.expected, "target \(index)")
            #expect(target.transitions.count > 12, "target \(index)")
            for (first, second) in zip(target.transitions, target.transitions.dropFirst()) {
                #expect(first.to == second.from, "target \(index)")
            }
        }
        #expect(day.probes > 100_000)
        let states = Set(day.targets.flatMap(\.transitions).map(\.to))
        #expect(states == Set(TargetState.allCases))
    }
}
