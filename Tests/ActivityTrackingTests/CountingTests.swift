// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Testing

@Suite("Counting activities")
struct CountingTests {
    @Test("A1: a machine begins not active, disabled, hidden, with a count of 0")
    func initial() {
        let machine = Machine()
        #expect(machine.state == .notActive)
        #expect(!machine.isEnabled && !machine.isVisible && !machine.isActivityOccurring)
        #expect(machine.count == 0 && machine.compatibility == [])
    }

    @Test("A1: states have the original's numbers, and names on the wire")
    func states() {
        #expect(ActivityState.allCases.map(\.rawValue) == [0, 1, 2, 3])
        #expect(ActivityState.allCases.map(\.name) == ["not_active", "delaying_start", "active", "delaying_end"])
    }

    @Test("A4: the count never goes below 0", arguments: [[], ActivityCompatibility.afnetworking])
    func surplus(compatibility: ActivityCompatibility) {
        var machine = Machine(compatibility: compatibility)
        machine.decrement()
        machine.end(7)
        #expect(machine.count == 0)
        machine.increment()
        #expect(machine.count == 1)
    }

    @Test("A5: counting changes no state; updates are idempotent")
    func idempotentUpdates() {
        var machine = Machine(isEnabled: true)
        for _ in 0..<3 { machine.increment() }
        #expect(machine.state == .notActive)
        #expect(machine.update()?.to == .delayingStart)
        #expect(machine.update() == nil && machine.update() == nil)
        #expect(machine.count == 3)
    }

    @Test("A26, fixed: a task that is suspended and then cancelled ends once")
    func suspendThenCancel() {
        var machine = Machine()
        machine.begin(1)
        machine.begin(2)
        machine.end(1)
        machine.end(1)
        #expect(machine.count == 1)
    }

    @Test("A26, fixed: a task that was never resumed does not count")
    func completedWithoutResume() {
        var machine = Machine()
        machine.begin(1)
        machine.end(2)
        #expect(machine.count == 1)
    }

    @Test("A26, fixed: a second begin counts nothing")
    func beginTwice() {
        var machine = Machine()
        machine.begin(1)
        machine.begin(1)
        #expect(machine.count == 1)
        machine.end(1)
        #expect(machine.count == 0)
    }

    @Test("A26, fixed: unnamed ends do not end named activity, nor vice versa")
    func namedAndUnnamed() {
        var machine = Machine()
        machine.begin(1)
        machine.decrement()
        #expect(machine.count == 1)
        machine.increment()
        machine.end(1)
        machine.end(1)
        #expect(machine.count == 1)
    }

    @Test("A26: the original counts each of them")
    func original() {
        var machine = Machine(compatibility: .afnetworking)
        machine.begin(1)
        machine.begin(1)
        machine.begin(2)
        #expect(machine.count == 3)
        machine.end(1)
        machine.end(1)
        machine.end(3)
        #expect(machine.count == 0)
    }

    @Test("A26: an unnamed end that overtakes its begin is swallowed and leaves the count at 1; a named one cannot")
    func overtaking() {
        for compatibility in [[], ActivityCompatibility.afnetworking] {
            var machine = Machine(compatibility: compatibility)
            machine.decrement()
            machine.increment()
            #expect(machine.count == 1)
        }
    }

    @Test("The quirks are distinct, and cover all of the original's")
    func quirks() {
        #expect(ActivityCompatibility.afnetworking == [.hidesWithoutCounting, .countsWithoutIdentity])
        #expect(ActivityCompatibility(rawValue: 3) == .afnetworking)
    }
}
