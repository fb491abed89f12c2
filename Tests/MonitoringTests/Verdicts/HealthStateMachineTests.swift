// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Testing

@Suite("The tables of the health state machine")
struct VerdictMachineTests {
    typealias Machine = HealthStateMachine<Int>
    typealias Input = VerdictInput<Int>

    private static let good = Input.result(.success, nil)
    private static let slow = Input.result(.degraded, 7)
    private static let bad = Input.result(.failure, 9)
    private static let noPath = Input.path(isSatisfied: false)
    private static let path = Input.path(isSatisfied: true)
    private static let noParent = Input.parent(isUp: false)
    private static let parent = Input.parent(isUp: true)

    private func machine(_ inputs: Input...) throws -> Machine { try machine(after: inputs) }

    private func machine(after inputs: [Input]) throws -> Machine {
        var machine = Machine(settings: try VerdictSettings())
        for input in inputs { _ = machine.handle(input) }
        return machine
    }

    // MARK: which word counts

    @Test("H1–H5: the strongest of all 16 combinations of suspension reasons decides", arguments: 0..<16)
    func precedence(bits: Int) throws {
        let holds: [(Input, TargetState, VerdictBasis)] = [
            (.pause, .paused, .paused), (.maintenanceBegins, .maintenance, .maintenance),
            (Self.noPath, .unreachable, .path), (Self.noParent, .unreachable, .parent),
        ]
        let active = holds.indices.filter { bits >> $0 & 1 == 1 }
        for order in [active, active.reversed()] {
            var machine = try machine(Self.good)
            for index in order { _ = machine.handle(holds[index].0) }
            let expected = active.first.map { (holds[$0].1, holds[$0].2) } ?? (.up, .probe)
            #expect(machine.state == expected.0)
            #expect(machine.basis == expected.1)
            let rests = !Set(active).isDisjoint(with: [0, 2, 3])
            #expect(machine.isResting == rests)
            #expect((machine.nextInterval == nil) == rests)
        }
    }

    @Test("H2: results during maintenance take effect at its end")
    func maintenance() throws {
        var machine = try machine(Self.good, .maintenanceBegins)
        for _ in 0..<2 { #expect(machine.handle(Self.bad).transition == nil) }
        #expect(machine.pending == nil)
        #expect(machine.nextInterval == .seconds(5))
        #expect(machine.handle(Self.bad).transition == nil)
        let end = machine.handle(.maintenanceEnds)
        #expect(end.transition == StateTransition(from: .maintenance, to: .down))
        #expect(end.order == nil)
        #expect(machine.reason == 9)
    }

    @Test("H3: a path lost during maintenance stops probing; the target is unreachable when it ends")
    func pathInMaintenance() throws {
        var machine = try machine(Self.good, .maintenanceBegins)
        #expect(machine.handle(Self.noPath).order == .rest)
        #expect(machine.state == .maintenance)
        #expect(
            machine.handle(.maintenanceEnds).transition == StateTransition(from: .maintenance, to: .unreachable)
        )
    }

    // MARK: what the results say

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let inputs: [Input]
        let state: TargetState
        var pending: PendingVerdict?
        var reason: Int?
        var testDescription: String { name }

        init(
            _ name: String,
            _ inputs: [Input],
            _ state: TargetState,
            _ pending: PendingVerdict? = nil,
            reason: Int? = nil
        ) {
            self.name = name
            self.inputs = inputs
            self.state = state
            self.pending = pending
            self.reason = reason
        }
    }

    static let down = [good, bad, bad, bad]
    static func toward(_ state: TargetState, _ count: Int, _ of: Int) -> PendingVerdict {
        PendingVerdict(toward: state, count: count, of: of)
    }

    static let rows: [Row] = [
        Row("V0: nothing yet", [], .unknown),
        Row("V1: first success", [good], .up),
        Row("V1: after failures", [bad, bad, good], .up),
        Row("V2: first degraded", [slow], .degraded, reason: 7),
        Row("V3: 1 failure from unknown", [bad], .unknown, toward(.down, 1, 3)),
        Row("V3: 2 failures from unknown", [bad, bad], .unknown, toward(.down, 2, 3)),
        Row("V3: 3 failures from unknown", [bad, bad, bad], .down, reason: 9),
        Row("V3: 1 failure after the path came back", [good, noPath, path, bad], .unreachable, toward(.down, 1, 3)),
        Row("V3: 3 failures after the path came back", [good, noPath, path, bad, bad, bad], .down, reason: 9),
        Row("V4: 2 failures", [good, bad, bad], .up, toward(.down, 2, 3)),
        Row("V4: 3 failures", down, .down, reason: 9),
        Row("V4: a success between", [good, bad, bad, good, bad, bad], .up, toward(.down, 2, 3)),
        Row("V5: 2 degraded", [good, slow, slow], .up, toward(.degraded, 2, 3)),
        Row("V5: 3 degraded", [good, slow, slow, slow], .degraded, reason: 7),
        Row("V5: mixed, 2", [good, bad, slow], .up, toward(.degraded, 2, 3)),
        Row("V5: mixed, 3", [good, bad, slow, bad], .degraded, toward(.down, 1, 3), reason: 7),
        Row("V6: 2 failures", [slow, bad, bad], .degraded, toward(.down, 2, 3), reason: 7),
        Row("V6: 3 failures", [slow, bad, bad, bad], .down, reason: 9),
        Row("V7: 1 success", [slow, good], .degraded, toward(.up, 1, 2), reason: 7),
        Row("V7: 2 successes", [slow, good, good], .up),
        Row("V8: 1 success", down + [good], .down, toward(.up, 1, 2), reason: 9),
        Row("V8: 2 successes", down + [good, good], .up),
        Row("V8: a failure between", down + [good, bad, good], .down, toward(.up, 1, 2), reason: 9),
        Row("V9: 1 degraded", down + [slow], .down, toward(.degraded, 1, 2), reason: 9),
        Row("V9: 2 degraded", down + [slow, slow], .degraded, reason: 7),
        Row("V9: degraded, success", down + [slow, good], .degraded, toward(.up, 1, 2), reason: 7),
        Row("V9: degraded, 2 successes", down + [slow, good, good], .up),
        Row("V11: results while there is no path", [good, noPath, bad, bad, bad], .unreachable),
        Row("V11: results while paused", [.pause, good], .paused),
        Row("V11: they are not kept", [.pause, good, .resume], .unknown),
        Row("V12: resumed", down + [.pause, .resume], .unknown),
        Row("V12: one failure after", [good, .pause, .resume, bad], .unknown, toward(.down, 1, 3)),
        Row("V12: one success after", down + [.pause, .resume, good], .up),
        Row("V12: the pause lets go last", [good, noPath, .pause, path, .resume], .unknown),
        Row("V13: no result yet", [good, noPath, path], .unreachable),
        Row("V13: success", [good, noPath, path, good], .up),
        Row("V13: degraded", [good, noPath, path, slow], .degraded, reason: 7),
        Row("V13: the parent's", [good, noParent, parent, bad, bad], .unreachable, toward(.down, 2, 3)),
        Row("V13: success after a failure", [good, noPath, path, bad, good], .up),
        Row(
            "V13: lost again, counts begin anew",
            [noPath, path, bad, bad, noPath, path, bad],
            .unreachable,
            toward(.down, 1, 3)
        ),
        Row("V13: the path lets go last", [good, noPath, .pause, .resume, path], .unreachable),
        Row("V14: counts are thrown away", [good, bad, bad, .suspended], .up),
        Row("V14: and begin anew", [good, bad, bad, .suspended, bad], .up, toward(.down, 1, 3)),
        Row("V14: rise too", down + [good, .suspended, good], .down, toward(.up, 1, 2), reason: 9),
        Row("V14: after V13", [noPath, path, bad, .suspended, bad], .unreachable, toward(.down, 1, 3)),
        Row("V14: success counts at once", [noPath, path, .suspended, good], .up),
    ]

    @Test("V1–V14: every row", arguments: rows)
    func verdicts(row: Row) throws {
        let machine = try machine(after: row.inputs)
        #expect(machine.state == row.state)
        #expect(machine.pending == row.pending)
        #expect(machine.reason == row.reason)
        if machine.pending != nil { #expect(machine.nextInterval == machine.settings.confirmInterval) }
    }

    @Test("V10: fall and rise of one need no confirmation")
    func undamped() throws {
        var machine = Machine(settings: try VerdictSettings(fall: 1, rise: 1))
        let results: [Input] = [Self.bad, Self.good, Self.slow, Self.bad, Self.slow, Self.good, Self.bad]
        let states = results.map { input in
            _ = machine.handle(input)
            #expect(machine.pending == nil)
            return machine.state
        }
        #expect(states == [.down, .up, .degraded, .down, .degraded, .up, .down])
    }

    // MARK: actions

    @Test("The orders to stop and to restart probing are issued once, also for repeated inputs")
    func orders() throws {
        var machine = try machine(Self.good)
        let steps: [(Input, ProbeOrder?)] = [
            (Self.path, nil), (.resume, nil), (Self.noPath, .rest), (Self.noPath, nil), (Self.noParent, nil),
            (.pause, nil), (Self.path, nil), (.suspended, nil), (.resume, nil), (Self.parent, .atOnce),
            (Self.parent, nil), (.suspended, .atOnce), (.pause, .rest), (.pause, nil), (.resume, .atOnce),
            (.maintenanceBegins, nil), (.maintenanceEnds, nil), (Self.good, nil),
        ]
        for (index, (input, order)) in steps.enumerated() {
            #expect(machine.handle(input).order == order, "step \(index)")
        }
    }

    @Test("Without a path there is no down; when it returns one success is enough, and failures are confirmed")
    func uplink() throws {
        var machine = try machine(Self.good, Self.bad, Self.bad)
        #expect(machine.handle(Self.noPath).transition == StateTransition(from: .up, to: .unreachable))
        for _ in 0..<10 { #expect(machine.handle(Self.bad) == machine.handle(Self.noPath)) }
        #expect(machine.handle(Self.path).transition == nil)
        #expect(machine.handle(Self.bad).transition == nil)
        #expect(machine.basis == .awaited)
        #expect(machine.nextInterval == machine.settings.confirmInterval)
        #expect(machine.handle(Self.good).transition == StateTransition(from: .unreachable, to: .up))
    }

    @Test("While down the interval grows with each failure to its maximum, and is short to confirm")
    func backoff() throws {
        let settings = try VerdictSettings(
            fall: 1,
            interval: .seconds(10),
            confirmInterval: .seconds(2),
            backoffFactor: 2,
            maximumInterval: .seconds(60)
        )
        var machine = Machine(settings: settings)
        var waits: [Duration?] = [machine.nextInterval]
        for _ in 0..<5 {
            _ = machine.handle(Self.bad)
            waits.append(machine.nextInterval)
        }
        #expect(waits == [10, 10, 20, 40, 60, 60].map { .seconds($0) })
        _ = machine.handle(Self.good)
        #expect(machine.nextInterval == .seconds(2))
        _ = machine.handle(Self.bad)
        #expect(machine.nextInterval == .seconds(20))
        _ = machine.handle(.suspended)
        #expect(machine.nextInterval == .seconds(10))
    }

    @Test("New settings keep the state and restart the counters")
    func reloaded() throws {
        var machine = try machine(Self.good, Self.bad, Self.bad)
        machine.apply(try VerdictSettings(fall: 2))
        #expect(machine.state == .up)
        #expect(machine.pending == nil)
        _ = machine.handle(Self.bad)
        #expect(machine.handle(Self.bad).transition == StateTransition(from: .up, to: .down))
    }
}
