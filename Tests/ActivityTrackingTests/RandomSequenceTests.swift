// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import TestSupport
import Testing

@Suite("Random sequences against a naive model", .timeLimit(.minutes(15)))
struct RandomSequenceTests {
    @Test("A1–A18, A23, A26: state, count, visible, timers and blocks agree after every event", arguments: 0..<40)
    func agreement(seed: Int) {
        let compatibility = ActivityCompatibility(rawValue: UInt8(seed % 4))
        var random = SeededGenerator(seed: UInt64(seed) + 1)
        var machine = Machine(compatibility: compatibility)
        let model = NaiveIndicator(compatibility: compatibility)
        var running: Set<ActivityTimer> = []
        var blocks: [Bool] = []
        var visited: Set<ActivityState> = []

        for step in 0..<3_000 {
            var transition: ActivityTransition?
            let task = Int.random(in: 0..<4, using: &random)
            // Busy and idle times by turns: the count is often 0, and often above it.
            let isBusy = (step / 60).isMultiple(of: 2)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<(isBusy ? 12 : 1):
                machine.increment()
                model.resume(nil)
            case 0..<20:
                machine.decrement()
                model.complete(nil)
            case 20..<(isBusy ? 40 : 21):
                machine.begin(task)
                model.resume(task)
            case 20..<52:
                machine.end(task)
                model.complete(task)
            case 52..<76:
                transition = machine.update()
                model.updateCurrentState()
            case 76..<95:
                guard let timer = running.randomElement(using: &random) else { continue }
                running.remove(timer)
                transition = machine.timerFired(timer)
                if timer == .activation { model.activationDelayTimerFired() } else { model.completionDelayTimerFired() }
            case 95..<97:
                transition = machine.setEnabled(false)
                model.setEnabled(false)
            default:
                transition = machine.setEnabled(true)
                model.setEnabled(true)
            }
            for action in transition?.actions ?? [] {
                switch action {
                case .startTimer(let timer): #expect(running.insert(timer).inserted, "seed \(seed) step \(step)")
                case .cancelTimer(let timer): running.remove(timer)
                case .visibleChanged(let visible): blocks.append(visible)
                }
            }
            visited.insert(machine.state)
            let agrees =
                machine.state.rawValue == model.currentState && machine.count == model.tasks.count
                && machine.isVisible == model.visible && machine.isEnabled == model.enabled && blocks == model.blocks
                && running.contains(.activation) == model.activationTimerRuns
                && running.contains(.completion) == model.completionTimerRuns
            guard agrees else {
                Issue.record("seed \(seed) step \(step): \(machine), \(running)")
                return
            }
        }
        #expect(visited.count == 4)
        // A21: strictly alternating, the first is true.
        #expect(blocks == blocks.indices.map { $0.isMultiple(of: 2) })
    }

    @Test("The timers that run follow from the state alone", arguments: ActivityState.allCases)
    func timers(state: ActivityState) {
        for event in MachineEvent.allCases {
            var machine = Machine(in: state, occurring: true)
            let transition = event.happen(to: &machine)
            let started = transition?.actions.contains(.startTimer(.activation)) ?? false
            #expect(started == (state == .notActive && machine.state == .delayingStart))
        }
    }
}

/// A small generator whose sequence is the same on every machine.
