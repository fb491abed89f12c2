// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Dispatch
import Foundation
import KeyValueObserving
import Synchronization
import Testing

@testable import NetworkReachability

@Suite("Activity: time, threads and the action", .timeLimit(.minutes(15)))
struct ActivityTimingTests {
    private let rig = ActivityRig()

    @Test("A19: the activation delay runs from the first of several requests")
    func fromTheFirst() {
        rig.increment()
        rig.scheduler.advance(by: .milliseconds(400))
        rig.decrement()
        rig.scheduler.advance(by: .milliseconds(100))
        rig.increment()
        rig.scheduler.advance(by: .milliseconds(500))
        #expect(rig.scheduler.now == .milliseconds(1000))
        #expect(rig.isVisible && rig.told.lines == ["action true"])
    }

    @Test("A19: a burst that is over after the delay shows nothing")
    func burst() {
        for _ in 0..<9 {
            rig.increment()
            rig.scheduler.advance(by: .milliseconds(100))
            rig.decrement()
        }
        rig.scheduler.advance(by: .seconds(5))
        #expect(rig.told.lines.isEmpty && rig.state == .notActive)
    }

    @Test("A20: the completion delay runs from the first zero; a request inside it keeps the indicator on")
    func fromTheZero() {
        rig.go(to: .active)
        for _ in 0..<5 {
            rig.decrement()
            rig.scheduler.advance(by: .milliseconds(100))
            rig.increment()
            rig.scheduler.advance(by: .milliseconds(100))
        }
        #expect(rig.told.lines == ["action true"])
        rig.decrement()
        rig.scheduler.advance(by: .milliseconds(100))
        rig.decrement()
        rig.scheduler.advance(by: .milliseconds(70))
        #expect(rig.told.lines == ["action true", "action false"])
    }

    @Test("A21: the action is called with true and false in turn, true first")
    func alternates() {
        for round in 0..<20 {
            rig.increment()
            rig.scheduler.advance(by: .milliseconds(round.isMultiple(of: 3) ? 500 : 2_000))
            if round.isMultiple(of: 4) {
                rig.manager.isEnabled = false
                rig.manager.isEnabled = true
            }
            rig.decrement()
            rig.scheduler.advance(by: .milliseconds(round.isMultiple(of: 5) ? 100 : 2_000))
        }
        rig.scheduler.advance(by: .seconds(2))
        let lines = rig.told.lines
        #expect(lines.count > 10)
        #expect(lines == lines.indices.map { "action \($0.isMultiple(of: 2))" })
        #expect(lines.last == "action false")
    }

    @Test("A21: the action may disable, count and replace itself")
    func reentrant() {
        rig.manager.setNetworkingActivityAction { [told = rig.told, weak manager = rig.manager] isVisible in
            guard let manager else { return }
            told.append("\(isVisible) sees \(manager.isNetworkActivityIndicatorVisible) \(manager.currentState)")
            guard isVisible else { return }
            manager.decrementActivityCount()
            manager.isEnabled = false
            told.append("disabled sees \(manager.isNetworkActivityIndicatorVisible)")
            manager.setNetworkingActivityAction(nil)
        }
        rig.go(to: .active)
        #expect(
            rig.told.lines == ["true sees true active", "false sees false notActive", "disabled sees false"]
        )
        #expect(rig.manager.activityCount == 0 && rig.scheduler.dueTimes.isEmpty)
    }

    @Test("A21: an observer that disables before the state is stored leaves nothing shown")
    func disabledInPrior() {
        rig.increment()
        let turn = Turn()
        let observation = rig.manager.observe(.currentState, options: [.prior]) { manager, _ in
            // Disabling is a change of its own, with a prior of its own.
            if turn.take() { manager.isEnabled = false }
        }
        rig.scheduler.advance(by: .seconds(5))
        #expect(rig.state == .notActive && !rig.isVisible && rig.told.lines.isEmpty)
        observation.cancel()
    }

    @Test("A21: an observer that disables before the indicator is shown keeps the turn of the action")
    func disabledInVisiblePrior() {
        let observation = rig.manager.observe(.networkActivityIndicatorVisible, options: [.prior]) { manager, change in
            if change.isPrior, manager.currentState == .active { manager.isEnabled = false }
        }
        rig.increment()
        rig.scheduler.advance(by: .seconds(5))
        #expect(rig.state == .notActive && !rig.isVisible && rig.told.lines.isEmpty)
        observation.cancel()
    }

    @Test("A21: many threads count, enable and disable; the action alternates and ends where it should")
    func threads() {
        let queue = DispatchQueue(label: "delivery", attributes: .concurrent)
        let manager = NetworkActivityIndicatorManager(
            deliveryQueue: queue,
            notificationCenter: NotificationCenter()
        )
        manager.activationDelay = 0
        manager.completionDelay = 0
        let told = Journal()
        manager.setNetworkingActivityAction { told.append("\($0)") }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                let token = manager.beginActivity()
                if (round + thread).isMultiple(of: 7) { manager.isEnabled.toggle() }
                manager.incrementActivityCount()
                manager.decrementActivityCount()
                token.end()
            }
        }
        manager.isEnabled = false
        let lines = told.lines
        #expect(lines == lines.indices.map { "\($0.isMultiple(of: 2))" })
        #expect(lines.count.isMultiple(of: 2))
        #expect(manager.activityCount == 0 && manager.currentState == .notActive)
    }

    @Test("A22: without an action nothing is driven; the states are the same")
    func noAction() {
        rig.manager.setNetworkingActivityAction(nil)
        rig.go(to: .active)
        #expect(rig.isVisible)
        rig.manager.setNetworkingActivityAction { [told = rig.told] in told.append("late \($0)") }
        #expect(rig.told.lines.isEmpty)
        rig.decrement()
        rig.scheduler.advance(by: .seconds(1))
        #expect(rig.told.lines == ["late false"])
    }

    @Test("A24: a delay of 0 or less goes through the timer all the same", arguments: [0, -5, .nan, 0.000_05])
    func noDelay(seconds: TimeInterval) {
        rig.manager.activationDelay = seconds
        rig.manager.completionDelay = seconds
        rig.increment()
        #expect(rig.state == .delayingStart)
        rig.scheduler.fireNext()
        rig.decrement()
        #expect(rig.state == .delayingEnd)
        rig.scheduler.fireNext()
        #expect(rig.state == .notActive)
        #expect(rig.scheduler.startedDelays == [.microseconds(100), .microseconds(100)])
    }

    @Test("A24: an endless delay is a year")
    func endless() {
        rig.manager.activationDelay = .infinity
        rig.increment()
        #expect(rig.scheduler.startedDelays == [.seconds(365 * 86_400)])
    }

    @Test("A24: a changed delay does not move a timer that runs")
    func changedDelay() {
        rig.increment()
        rig.manager.activationDelay = 3
        #expect(rig.scheduler.dueTimes == [.seconds(1)])
        rig.scheduler.advance(by: .seconds(1))
        rig.decrement()
        rig.manager.completionDelay = 9
        rig.scheduler.advance(by: .milliseconds(170))
        #expect(rig.told.lines == ["action true", "action false"])
        rig.increment()
        #expect(rig.scheduler.startedDelays.last == .seconds(3))
    }

    /// A manager on dispatch timers whose action yields what it was called with and when.
    private func running(
        on queue: DispatchQueue,
        delay: TimeInterval
    ) -> (NetworkActivityIndicatorManager, AsyncStream<(Bool, SuspendingClock.Instant)>) {
        let manager = NetworkActivityIndicatorManager(
            deliveryQueue: queue,
            notificationCenter: NotificationCenter()
        )
        manager.activationDelay = delay
        manager.completionDelay = delay
        let (stream, continuation) = AsyncStream.makeStream(of: (Bool, SuspendingClock.Instant).self)
        manager.setNetworkingActivityAction { isVisible in
            dispatchPrecondition(condition: .onQueue(queue))
            continuation.yield((isVisible, SuspendingClock.now))
        }
        manager.isEnabled = true
        return (manager, stream)
    }

    @Test("A21, A25: timers run on the delivery queue, and the action is called there")
    func deliveryQueue() async {
        let (manager, stream) = running(on: DispatchQueue(label: "delivery"), delay: 0)
        var calls = stream.makeAsyncIterator()
        let token = manager.beginActivity()
        #expect(await calls.next()?.0 == true)
        token.end()
        #expect(await calls.next()?.0 == false)
    }

    @Test("A27: shown later than the activation delay, hidden later than the completion delay, once each")
    func delays() async throws {
        let (manager, stream) = running(on: DispatchQueue(label: "delivery"), delay: 0.02)
        var calls = stream.makeAsyncIterator()
        let start = SuspendingClock.now
        let first = manager.beginActivity()
        let second = manager.beginActivity()
        let shown = try #require(await calls.next())
        #expect(shown.0 && shown.1 - start > .milliseconds(20))
        first.end()
        let end = SuspendingClock.now
        second.end()
        let hidden = try #require(await calls.next())
        #expect(!hidden.0 && hidden.1 - end > .milliseconds(20))
    }

    @Test("A27: overlapping requests are one true and one false")
    func overlapping() {
        rig.increment()
        rig.scheduler.advance(by: .milliseconds(600))
        rig.increment()
        rig.scheduler.advance(by: .milliseconds(600))
        rig.decrement()
        rig.scheduler.advance(by: .milliseconds(600))
        #expect(rig.isVisible)
        rig.decrement()
        rig.scheduler.advance(by: .milliseconds(600))
        #expect(rig.told.lines == ["action true", "action false"])
    }
}

/// Something that happens once.
private final class Turn: Sendable {
    private let isTaken = Atomic(false)

    /// - Returns: whether this is the first call.
    func take() -> Bool {
        !isTaken.exchange(true, ordering: .relaxed)
    }
}
