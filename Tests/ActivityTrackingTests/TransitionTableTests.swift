// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Testing

@Suite("The transition table")
struct TransitionTableTests {
    /// One row of the contract's table.
    struct Row: Sendable, CustomTestStringConvertible {
        let number: String
        let state: ActivityState
        let event: MachineEvent
        /// The count is above 0; nil: whatever it is.
        let occurring: Bool?
        /// nil: stays, and the original sets nothing.
        let next: ActivityState?
        var actions: [ActivityAction] = []

        var testDescription: String { "\(number): \(state), \(event), occurring \(occurring as Any)" }
    }

    private static let cancelBoth: [ActivityAction] = [.cancelTimer(.activation), .cancelTimer(.completion)]
    private static let cancelCompletion: [ActivityAction] = [.cancelTimer(.completion)]

    private static func row(
        _ number: String,
        _ state: ActivityState,
        _ event: MachineEvent,
        _ occurring: Bool?,
        _ next: ActivityState?,
        _ actions: [ActivityAction] = []
    ) -> Row {
        Row(number: number, state: state, event: event, occurring: occurring, next: next, actions: actions)
    }

    /// The rows that the original and this machine share.
    static let rows: [Row] = [
        row("A6", .notActive, .update, true, .delayingStart, [.startTimer(.activation)]),
        row("A7", .notActive, .update, false, nil),
        row("A8", .delayingStart, .update, nil, nil),
        row("A9", .delayingStart, .activationFired, true, .active, cancelCompletion + [.visibleChanged(true)]),
        row("A10", .delayingStart, .activationFired, false, .notActive, cancelBoth),
        row("A11", .active, .update, false, .delayingEnd, cancelCompletion + [.startTimer(.completion)]),
        row("A12", .active, .update, true, nil),
        row("A13", .delayingEnd, .update, true, .active, cancelCompletion),
        row("A14", .delayingEnd, .update, false, nil),
        row("A15", .delayingEnd, .completionFired, false, .notActive, cancelBoth + [.visibleChanged(false)]),
        row("A16", .notActive, .disable, nil, .notActive),
        row("A16", .delayingStart, .disable, nil, .notActive, cancelBoth),
        row("A16", .active, .disable, nil, .notActive, cancelBoth + [.visibleChanged(false)]),
        row("A16", .delayingEnd, .disable, nil, .notActive, cancelBoth + [.visibleChanged(false)]),
        row("A17", .notActive, .enable, nil, nil),
        row("A17", .delayingStart, .enable, nil, nil),
        row("A17", .active, .enable, nil, nil),
        row("A17", .delayingEnd, .enable, nil, nil),
        row("no such timer", .notActive, .activationFired, nil, nil),
        row("no such timer", .active, .activationFired, nil, nil),
        row("no such timer", .delayingEnd, .activationFired, nil, nil),
        row("no such timer", .notActive, .completionFired, nil, nil),
        row("no such timer", .delayingStart, .completionFired, nil, nil),
        row("no such timer", .active, .completionFired, nil, nil),
    ]

    /// The one row in which they differ.
    static let original = row(
        "A15",
        .delayingEnd,
        .completionFired,
        true,
        .notActive,
        cancelBoth + [.visibleChanged(false)]
    )
    static let fixed = row("A23", .delayingEnd, .completionFired, true, .active, cancelCompletion)

    private func check(_ row: Row, compatibility: ActivityCompatibility) {
        for occurring in row.occurring.map({ [$0] }) ?? [false, true] {
            var machine = Machine(in: row.state, occurring: occurring, compatibility: compatibility)
            #expect(machine.state == row.state && machine.isActivityOccurring == occurring)
            let wasVisible = machine.isVisible
            let transition = row.event.happen(to: &machine)
            let expected = row.next.map { ActivityTransition(from: row.state, to: $0, actions: row.actions) }
            #expect(transition == expected)
            #expect(machine.state == row.next ?? row.state)
            #expect(machine.isVisible == transition?.visibleChange ?? wasVisible)
            #expect(machine.isActivityOccurring == occurring)
            #expect(machine.isEnabled == (row.event != .disable))
        }
    }

    @Test("A6–A17: every row, with and without the quirks", arguments: rows)
    func everyRow(row: Row) {
        check(row, compatibility: [])
        check(row, compatibility: .afnetworking)
    }

    @Test("A15: the original hides without a look at the count")
    func originalCompletion() {
        check(Self.original, compatibility: .afnetworking)
        check(Self.original, compatibility: .hidesWithoutCounting)
    }

    @Test("A23: the fix stays active while anything is going on")
    func fixedCompletion() {
        check(Self.fixed, compatibility: [])
        check(Self.fixed, compatibility: .countsWithoutIdentity)
    }

    @Test("The rows cover each state, event and condition once")
    func complete() {
        for row in [Self.original, Self.fixed] {
            let covered = (Self.rows + [row]).flatMap { row in
                (row.occurring.map { [$0] } ?? [false, true]).map { "\(row.state) \(row.event) \($0)" }
            }
            let all = ActivityState.allCases.flatMap { state in
                MachineEvent.allCases.flatMap { event in [false, true].map { "\(state) \(event) \($0)" } }
            }
            #expect(covered.sorted() == all.sorted())
        }
    }

    @Test("A18: a disabled machine counts, and does nothing else")
    func disabled() {
        var machine = Machine()
        machine.increment()
        #expect(machine.update() == nil)
        #expect(machine.state == .notActive && machine.count == 1)
        machine.decrement()
        #expect(machine.update() == nil)
        #expect(machine.count == 0)
    }

    @Test("A17: activity under way when the indicator is enabled appears with the next update only")
    func enabledLate() {
        var machine = Machine()
        machine.increment()
        #expect(machine.setEnabled(true) == nil)
        #expect(machine.state == .notActive)
        #expect(machine.update()?.to == .delayingStart)
    }

    @Test("K16: the visible flag is set when another state that decides it is entered")
    func setsVisible() {
        var start = Machine(in: .delayingStart, occurring: false)
        #expect(start.timerFired(.activation)?.setsVisible == true)
        var end = Machine(in: .delayingEnd, occurring: true)
        #expect(end.update()?.setsVisible == true)
        var active = Machine(in: .active, occurring: false)
        #expect(active.update()?.setsVisible == false)
        var idle = Machine(in: .notActive, occurring: true)
        #expect(idle.setEnabled(false)?.setsVisible == false)
    }
}
