// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import TestSupport
import Testing

@Suite("A health state machine that resumes another observer's state")
struct ResumedStateTests {
    typealias Machine = HealthStateMachine<Int>

    private static let outcomes: [Character: ProbeOutcome] = ["s": .success, "d": .degraded, "f": .failure]

    /// The states after each result; `rise` is 2, `fall` is 3.
    private static func states(from state: TargetState, _ results: String) throws -> [TargetState] {
        var machine = Machine(settings: try VerdictSettings(), resuming: state)
        return try results.map { letter in
            _ = machine.handle(.result(try #require(outcomes[letter]), 1))
            return machine.state
        }
    }

    @Test(
        "fall and rise apply to the resumed state, which is unknown until results bear it out or change it",
        arguments: [
            (TargetState.up, "s", [TargetState.up]), (.up, "fff", [.unknown, .unknown, .down]),
            (.up, "ffs", [.unknown, .unknown, .up]), (.up, "fdf", [.unknown, .unknown, .degraded]),
            (.up, "sff", [.up, .up, .up]), (.down, "f", [.down]), (.down, "ss", [.unknown, .up]),
            (.down, "sf", [.unknown, .down]), (.down, "sd", [.unknown, .degraded]), (.degraded, "d", [.degraded]),
            (.degraded, "ss", [.unknown, .up]), (.degraded, "fff", [.unknown, .unknown, .down]),
            (.degraded, "sf", [.unknown, .degraded]), (.degraded, "fs", [.unknown, .degraded]),
        ]
    )
    func thresholds(state: TargetState, results: String, expected: [TargetState]) throws {
        #expect(try Self.states(from: state, results) == expected)
    }

    @Test(
        "only what results find is resumed",
        arguments: [TargetState.unknown, .unreachable, .paused, .maintenance]
    )
    func otherStates(state: TargetState) throws {
        #expect(try Self.states(from: state, "ff") == [.unknown, .unknown])
        #expect(try Self.states(from: state, "s") == [.up])
    }

    @Test("before it is borne out, the state is awaited, its probe has the pace of a doubt, and no reason is given")
    func awaited() throws {
        var machine = Machine(settings: try VerdictSettings(), resuming: .down)
        #expect(machine.state == .unknown && machine.basis == .awaited && machine.nextInterval == .seconds(30))
        #expect(machine.handle(.result(.success, nil)).transition == nil)
        #expect(machine.pending == PendingVerdict(toward: .up, count: 1, of: 2))
        #expect(machine.reason == nil && machine.nextInterval == .seconds(5))
        #expect(machine.handle(.result(.failure, 4)).transition == StateTransition(from: .unknown, to: .down))
        #expect(machine.basis == .probe && machine.reason == 4)
    }

    @Test("degraded that a success and a failure bear out has the failure's reason")
    func mixed() throws {
        var machine = Machine(settings: try VerdictSettings(), resuming: .degraded)
        _ = machine.handle(.result(.failure, 4))
        _ = machine.handle(.result(.success, nil))
        #expect(machine.state == .degraded && machine.reason == 4)
    }

    @Test("a reason to suspend the probe discards the resumed state, other settings keep it")
    func discarded() throws {
        var machine = Machine(settings: try VerdictSettings(), resuming: .down)
        machine.apply(try VerdictSettings(rise: 3))
        _ = machine.handle(.suspended)
        for _ in 0..<2 { _ = machine.handle(.result(.success, nil)) }
        #expect(machine.state == .unknown)
        _ = machine.handle(.path(isSatisfied: false))
        _ = machine.handle(.path(isSatisfied: true))
        #expect(machine.state == .unreachable)
        #expect(machine.handle(.result(.success, nil)).transition == StateTransition(from: .unreachable, to: .up))
    }

    /// A location's vote is the last definite state that any of its nodes reported.
    @Test("300 random lives: the vote is that of one observer whose counts begin anew at each takeover")
    func takeovers() throws {
        var generator = SeededGenerator(seed: 20_261_125)
        var changes: Set<StateTransition> = []
        for life in 0..<300 {
            let settings = try VerdictSettings(
                fall: .random(in: 1...5, using: &generator),
                rise: .random(in: 1...5, using: &generator),
                flapDetection: nil
            )
            var model = NaiveVerdict(settings)
            var machine = Machine(settings: settings)
            var vote: TargetState?
            var last = ProbeOutcome.success
            var hidden = 0
            for step in 0..<400 {
                if generator.once(in: 8) {
                    machine = Machine(settings: settings, resuming: vote)
                    (model.results, model.sinceDown, hidden) = ([], [], 0)
                }
                if generator.once(in: 3) { last = ProbeOutcome.allCases.randomElement(using: &generator) ?? .success }
                _ = machine.handle(.result(last, step))
                _ = model.handle(.result(last, step))
                let old = vote
                if machine.state != .unknown { vote = machine.state }
                hidden = machine.state == .unknown ? hidden + 1 : 0
                let isExplained = machine.state == .unknown || machine.state == .up || machine.reason != nil
                guard vote == model.verdict, isExplained, hidden < max(settings.fall, settings.rise) else {
                    Issue.record("life \(life), step \(step), after \(last): \(machine), but \(model)")
                    return
                }
                if let old, let vote, old != vote { changes.insert(StateTransition(from: old, to: vote)) }
            }
        }
        #expect(changes.count == 6, "each of the three states became each other one")
    }

    /// A node that restarts without its database resumes states that may have changed since.
    @Test("2,000 outdated states: none is shown before a result that agrees with it")
    func outdated() throws {
        var generator = SeededGenerator(seed: 7)
        let states: [TargetState] = [.up, .degraded, .down]
        for _ in 0..<2000 {
            let settings = try VerdictSettings(
                fall: .random(in: 1...4, using: &generator),
                rise: .random(in: 1...4, using: &generator)
            )
            var machine = Machine(settings: settings, resuming: states.randomElement(using: &generator))
            var seen: Set<ProbeOutcome> = []
            for step in 0..<8 where machine.state == .unknown {
                let result = ProbeOutcome.allCases.randomElement(using: &generator) ?? .success
                seen.insert(result)
                _ = machine.handle(.result(result, step))
            }
            switch machine.state {
            case .up: #expect(seen.contains(.success))
            case .down: #expect(seen.contains(.failure))
            case .degraded: #expect(seen.contains(.degraded) || seen == [.success, .failure])
            default: Issue.record("\(machine.state) after \(seen)")
            }
        }
    }
}
