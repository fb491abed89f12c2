// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Probing

@Suite("The durations of a run's phases")
struct PhaseTimesTests {
    @Test("Each phase has its own place; one that took no time is not one that did not happen")
    func places() {
        var times = PhaseTimes()
        #expect(times.isEmpty && times.keys.isEmpty)
        for (number, phase) in ProbePhase.allCases.enumerated() {
            #expect(times[phase] == nil)
            times[phase] = .milliseconds(number)
        }
        for (number, phase) in ProbePhase.allCases.enumerated() { #expect(times[phase] == .milliseconds(number)) }
        #expect(times.keys == ProbePhase.allCases)
        times[.tls] = nil
        #expect(times.keys == [.resolve, .connect, .startTLS, .request, .transfer] && !times.isEmpty)
    }

    @Test("A time measured in parts is their sum")
    func parts() {
        var times: PhaseTimes = [.resolve: .milliseconds(2)]
        times.add(.microseconds(5), to: .resolve)
        times.add(.microseconds(7), to: .transfer)
        #expect(times == [.transfer: .microseconds(7), .resolve: .microseconds(2005)])
    }
}
