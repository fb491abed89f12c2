// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Foundation
import Testing

@testable import NetworkReachability

@Suite("Activity: transitions")
struct ActivityTransitionTests {
    private let rig = ActivityRig()

    @Test("A6: something begins: the activation timer starts")
    func begins() {
        rig.increment()
        #expect(rig.state == .delayingStart && !rig.isVisible)
        #expect(rig.scheduler.startedDelays == [.milliseconds(1000)])
    }

    @Test("A7: without activity nothing happens")
    func nothing() {
        rig.manager.incrementActivityCount()
        rig.decrement()
        #expect(rig.state == .notActive && rig.scheduler.startedDelays.isEmpty)
    }

    @Test("A8: updates neither cancel nor restart the activation timer")
    func activationRuns() {
        rig.increment()
        rig.scheduler.advance(by: .milliseconds(500))
        rig.decrement()
        rig.increment()
        #expect(rig.state == .delayingStart)
        #expect(rig.scheduler.dueTimes == [.milliseconds(1000)] && rig.scheduler.startedDelays.count == 1)
    }

    @Test("A9: the activation timer shows the indicator")
    func shows() {
        rig.increment()
        rig.scheduler.advance(by: .milliseconds(999))
        #expect(rig.state == .delayingStart && rig.told.lines.isEmpty)
        rig.scheduler.advance(by: .milliseconds(1))
        #expect(rig.state == .active && rig.isVisible && rig.told.lines == ["action true"])
        #expect(rig.scheduler.dueTimes.isEmpty)
    }

    @Test("A10: no activity when the activation timer fires: nothing was shown, no action is called")
    func tooShort() {
        rig.increment()
        rig.scheduler.advance(by: .milliseconds(500))
        rig.decrement()
        rig.scheduler.advance(by: .seconds(5))
        #expect(rig.state == .notActive && !rig.isVisible && rig.told.lines.isEmpty)
        #expect(rig.scheduler.dueTimes.isEmpty)
    }

    @Test("A11: the last one ends: the completion timer starts")
    func ends() {
        rig.go(to: .active)
        rig.decrement()
        #expect(rig.state == .delayingEnd && rig.isVisible)
        #expect(rig.scheduler.startedDelays == [.milliseconds(1000), .milliseconds(170)])
    }

    @Test("A12: one of several ends: nothing happens")
    func oneOfTwo() {
        rig.go(to: .active)
        rig.increment()
        rig.decrement()
        #expect(rig.state == .active && rig.scheduler.dueTimes.isEmpty)
    }

    @Test("A13: something begins before the completion timer fires: it stays visible, no action is called")
    func beginsAgain() {
        rig.go(to: .delayingEnd)
        rig.increment()
        #expect(rig.state == .active && rig.isVisible && rig.scheduler.dueTimes.isEmpty)
        rig.scheduler.advance(by: .seconds(5))
        #expect(rig.told.lines == ["action true"])
    }

    @Test("A14: an update does not restart the completion timer")
    func completionRuns() {
        rig.go(to: .delayingEnd)
        rig.scheduler.advance(by: .milliseconds(100))
        rig.decrement()
        #expect(rig.state == .delayingEnd && rig.scheduler.dueTimes == [.milliseconds(1170)])
    }

    @Test("A15: the completion timer hides the indicator")
    func hides() {
        rig.go(to: .delayingEnd)
        rig.scheduler.advance(by: .milliseconds(170))
        #expect(rig.state == .notActive && !rig.isVisible)
        #expect(rig.told.lines == ["action true", "action false"])
    }

    @Test("A16: disabling hides at once, with an action only if it was visible", arguments: ActivityState.allCases)
    func disabling(state: ActivityState) {
        rig.go(to: state)
        _ = rig.told.takeAll()
        let wasVisible = rig.isVisible
        rig.manager.isEnabled = false
        #expect(rig.state == .notActive && !rig.isVisible && !rig.manager.isEnabled)
        #expect(rig.told.lines == (wasVisible ? ["action false"] : []))
        #expect(rig.scheduler.dueTimes.isEmpty)
    }

    @Test("A16: a timer that was due when it was cancelled does nothing", arguments: ActivityState.allCases)
    func lateTimer(state: ActivityState) {
        rig.go(to: state)
        rig.manager.isEnabled = false
        rig.manager.isEnabled = true
        rig.manager.incrementActivityCount()
        rig.scheduler.runQueue()
        #expect(rig.state == .delayingStart)
        rig.scheduler.fireCancelled()
        #expect(rig.state == .delayingStart)
        rig.scheduler.advance(by: .seconds(1))
        #expect(rig.state == .active)
    }

    @Test("A17: activity under way when the indicator is enabled appears with the next count only")
    func enabling() {
        let rig = ActivityRig(isEnabled: false)
        rig.increment()
        rig.manager.isEnabled = true
        rig.scheduler.advance(by: .seconds(5))
        #expect(rig.state == .notActive)
        rig.increment()
        rig.decrement()
        #expect(rig.state == .delayingStart && rig.manager.activityCount == 1)
    }

    @Test("A18: a queued update does nothing when it finds the manager disabled")
    func disabledMeanwhile() {
        rig.manager.incrementActivityCount()
        rig.manager.isEnabled = false
        rig.scheduler.runQueue()
        #expect(rig.state == .notActive && rig.scheduler.startedDelays.isEmpty)
    }

    @Test("A23, compatible: activity that begins just before the end hides the indicator, and waits for a whole delay")
    func originalCompletion() {
        let rig = ActivityRig(compatibility: .afnetworking)
        rig.go(to: .delayingEnd)
        rig.manager.incrementActivityCount()
        rig.scheduler.fireNext()
        #expect(rig.state == .notActive && rig.told.lines == ["action true", "action false"])
        rig.scheduler.runQueue()
        #expect(rig.state == .delayingStart)
        rig.scheduler.advance(by: .milliseconds(999))
        #expect(!rig.isVisible)
        rig.scheduler.advance(by: .milliseconds(1))
        #expect(rig.told.lines == ["action true", "action false", "action true"])
    }

    @Test("A23, fixed: it keeps the indicator visible")
    func fixedCompletion() {
        rig.go(to: .delayingEnd)
        rig.manager.incrementActivityCount()
        rig.scheduler.fireNext()
        #expect(rig.state == .active && rig.isVisible && rig.told.lines == ["action true"])
        rig.scheduler.runQueue()
        #expect(rig.state == .active && rig.scheduler.dueTimes.isEmpty)
    }
}
