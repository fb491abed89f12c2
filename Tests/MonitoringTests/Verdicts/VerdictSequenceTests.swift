// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import TestSupport
import Testing

@Suite("The health state machine against a naive model")
struct VerdictSequenceTests {
    private static func settings(_ generator: inout SeededGenerator) throws -> VerdictSettings {
        let low = Int.random(in: 1...60, using: &generator)
        let flap = try FlapSettings(
            window: .random(in: 3...64, using: &generator),
            lowPercent: low,
            highPercent: .random(in: low + 1...100, using: &generator)
        )
        return try VerdictSettings(
            fall: .random(in: 1...6, using: &generator),
            rise: .random(in: 1...4, using: &generator),
            interval: .seconds(10),
            confirmInterval: .seconds(1),
            backoffFactor: generator.once(in: 2) ? 1 : .random(in: 1.1...3, using: &generator),
            maximumInterval: .seconds(100),
            flapDetection: generator.once(in: 4) ? nil : flap
        )
    }

    /// Results mostly stay what they are for a while, so that long runs happen too; the rest is rare.
    private static func input(
        _ generator: inout SeededGenerator,
        _ last: inout ProbeOutcome,
        _ step: Int
    ) -> VerdictInput<Int> {
        if !generator.once(in: 12) {
            if generator.once(in: 3) { last = ProbeOutcome.allCases.randomElement(using: &generator) ?? .success }
            return .result(last, step)
        }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return .path(isSatisfied: false)
        case 1, 2: return .path(isSatisfied: true)
        case 3: return .parent(isUp: false)
        case 4, 5: return .parent(isUp: true)
        case 6: return .pause
        case 7, 8: return .resume
        case 9: return .maintenanceBegins
        case 10: return .maintenanceEnds
        default: return .suspended
        }
    }

    @Test("20 settings, 5,000 random events each: the same states, orders, intervals, reasons and flapping")
    func randomEvents() throws {
        var generator = SeededGenerator(seed: 20_261_121)
        var transitions: Set<StateTransition> = []
        for round in 0..<20 {
            let settings = try Self.settings(&generator)
            var machine = HealthStateMachine<Int>(settings: settings)
            var model = NaiveVerdict(settings)
            var last = ProbeOutcome.success
            for step in 0..<5000 {
                let input = Self.input(&generator, &last, step)
                let (oldState, wasFlapping) = (model.state, model.isFlapping)
                let output = machine.handle(input)
                let order = model.handle(input)
                let transition = oldState == model.state ? nil : StateTransition(from: oldState, to: model.state)
                let pending = model.holds.isEmpty ? model.pending : nil
                let wait = model.nextInterval
                let isAlike =
                    output.transition == transition && machine.state == model.state && output.order == order
                    && machine.pending == pending && machine.isFlapping == model.isFlapping
                    && output.flappingChanged == (wasFlapping != model.isFlapping) && machine.reason == model.reason
                    && (machine.nextInterval == nil) == (wait == nil)
                    && Self.differ(machine.nextInterval ?? .zero, wait ?? .zero) < .milliseconds(1)
                guard isAlike else {
                    Issue.record("round \(round), step \(step), \(input): \(machine) but \(model)")
                    return
                }
                if let transition { transitions.insert(transition) }
            }
        }
        // From each of the seven states, but one thing never happens: to become unknown other than by the end of a pause.
        #expect(Set(transitions.map(\.from)) == Set(TargetState.allCases))
        #expect(transitions.filter { $0.to == .unknown }.allSatisfy { [.paused, .maintenance].contains($0.from) })
        #expect(transitions.count > 25)
    }

    private static func differ(_ left: Duration, _ right: Duration) -> Duration {
        left > right ? left - right : right - left
    }
}
