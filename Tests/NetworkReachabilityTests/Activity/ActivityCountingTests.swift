// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Foundation
import Testing

@testable import NetworkReachability

@Suite("Activity: counting")
struct ActivityCountingTests {
    @Test("A1: not active, disabled, hidden, a count of 0, delays of 1.0 and 0.17 seconds")
    func defaults() {
        let manager = NetworkActivityIndicatorManager(notificationCenter: NotificationCenter())
        #expect(manager.currentState == .notActive)
        #expect(!manager.isEnabled && !manager.isNetworkActivityIndicatorVisible)
        #expect(manager.activityCount == 0 && !manager.isNetworkActivityOccurring)
        #expect(manager.activationDelay == 1.0 && manager.completionDelay == 0.17)
        #expect(manager.compatibility == [])
        #expect(NetworkActivityManagerState.allCases.map(\.rawValue) == [0, 1, 2, 3])
    }

    @Test("A2: one shared manager, and others beside it that listen to the default centre too")
    func shared() {
        #expect(NetworkActivityIndicatorManager.shared === NetworkActivityIndicatorManager.shared)
        #expect(NetworkActivityIndicatorManager.shared.compatibility == [])
        let own = NetworkActivityIndicatorManager()
        #expect(own !== NetworkActivityIndicatorManager.shared)
        let task = FakeTask()
        NotificationCenter.default.post(name: .AFNetworkingTaskDidResume, object: task)
        #expect(own.activityCount == 1)
        #expect(NetworkActivityIndicatorManager.shared.activityCount == 1)
        NotificationCenter.default.post(name: .AFNetworkingTaskDidComplete, object: task)
        #expect(own.activityCount == 0)
        #expect(NetworkActivityIndicatorManager.shared.activityCount == 0)
    }

    @Test("A2: a disabled manager listens from its construction on, and counts")
    func countsWhileDisabled() {
        let rig = ActivityRig(isEnabled: false)
        rig.post(.AFNetworkingTaskDidResume, FakeTask())
        rig.manager.incrementActivityCount()
        rig.scheduler.advance(by: .seconds(5))
        #expect(rig.manager.activityCount == 2)
        #expect(rig.state == .notActive && rig.told.lines.isEmpty)
    }

    @Test("A2: a released manager no longer observes")
    func gone() {
        let center = NotificationCenter()
        weak var weakManager: NetworkActivityIndicatorManager?
        do {
            let manager = NetworkActivityIndicatorManager(
                scheduler: ManualScheduler(),
                compatibility: [],
                notificationCenter: center
            )
            weakManager = manager
            manager.incrementActivityCount()
        }
        #expect(weakManager == nil)
        center.post(name: .AFNetworkingTaskDidResume, object: FakeTask())
    }

    @Test("A2: a released manager leaves no timer behind")
    func noTimerLeft() {
        let scheduler = ManualScheduler()
        do {
            let manager = NetworkActivityIndicatorManager(
                scheduler: scheduler,
                compatibility: [],
                notificationCenter: NotificationCenter()
            )
            manager.isEnabled = true
            manager.incrementActivityCount()
            scheduler.runQueue()
            #expect(scheduler.dueTimes.count == 1)
        }
        #expect(scheduler.dueTimes.isEmpty)
    }

    @Test("K22, K24: the notifications have the original's names")
    func names() {
        #expect(AFNetworkingTaskDidResumeNotification.rawValue == "com.alamofire.networking.task.resume")
        #expect(AFNetworkingTaskDidSuspendNotification.rawValue == "com.alamofire.networking.task.suspend")
        #expect(AFNetworkingTaskDidCompleteNotification.rawValue == "com.alamofire.networking.task.complete")
    }

    @Test("A3: resume counts up, suspend and complete count down", arguments: [[], ActivityCompatibility.afnetworking])
    func notifications(compatibility: ActivityCompatibility) {
        let rig = ActivityRig(compatibility: compatibility)
        let first = FakeTask()
        let second = FakeTask("https://192.0.2.1/x")
        rig.post(.AFNetworkingTaskDidResume, first)
        rig.post(.AFNetworkingTaskDidResume, second)
        #expect(rig.manager.activityCount == 2)
        rig.post(.AFNetworkingTaskDidSuspend, first)
        #expect(rig.manager.activityCount == 1)
        rig.post(.AFNetworkingTaskDidResume, first)
        #expect(rig.manager.activityCount == 2)
        rig.post(.AFNetworkingTaskDidComplete, first)
        rig.post(.AFNetworkingTaskDidComplete, second)
        #expect(rig.manager.activityCount == 0)
    }

    @Test("A3: an object without an original request that has a URL is not counted")
    func otherObjects() {
        let rig = ActivityRig()
        rig.post(.AFNetworkingTaskDidResume, FakeTask(nil))
        rig.post(.AFNetworkingTaskDidResume, "no task")
        rig.post(.AFNetworkingTaskDidResume, NSObject())
        rig.post(.AFNetworkingTaskDidResume, nil)
        #expect(rig.manager.activityCount == 0 && rig.scheduler.enqueuedCount == 0)
        rig.manager.incrementActivityCount()
        rig.post(.AFNetworkingTaskDidComplete, FakeTask(nil))
        rig.post(.AFNetworkingTaskDidSuspend, nil)
        #expect(rig.manager.activityCount == 1 && rig.scheduler.enqueuedCount == 1)
    }

    @Test("A4: the count never goes below 0")
    func surplus() {
        let rig = ActivityRig()
        rig.decrement()
        #expect(rig.manager.activityCount == 0)
        rig.increment()
        #expect(rig.manager.activityCount == 1)
    }

    @Test("A5: the count changes at once, the state with the queued update; each call queues one")
    func queued() {
        let rig = ActivityRig()
        for _ in 0..<3 { rig.manager.incrementActivityCount() }
        rig.manager.decrementActivityCount()
        #expect(rig.manager.activityCount == 2 && rig.manager.isNetworkActivityOccurring)
        #expect(rig.state == .notActive && rig.scheduler.enqueuedCount == 4)
        rig.scheduler.runQueue()
        #expect(rig.state == .delayingStart && rig.scheduler.startedDelays.count == 1)
    }

    @Test("A26, fixed: a task that is suspended and then cancelled is one end, and a second resume no second begin")
    func suspendThenCancel() {
        let rig = ActivityRig()
        let task = FakeTask()
        let other = FakeTask()
        for task in [task, other, task] { rig.post(.AFNetworkingTaskDidResume, task) }
        #expect(rig.manager.activityCount == 2)
        rig.post(.AFNetworkingTaskDidSuspend, task)
        rig.post(.AFNetworkingTaskDidComplete, task)
        #expect(rig.manager.activityCount == 1)
        rig.post(.AFNetworkingTaskDidComplete, FakeTask())
        #expect(rig.manager.activityCount == 1)
        rig.post(.AFNetworkingTaskDidComplete, other)
        #expect(rig.manager.activityCount == 0)
    }

    @Test("A26, compatible: it is two ends, and a task that was never resumed ends another")
    func originalCount() {
        let rig = ActivityRig(compatibility: .afnetworking)
        let task = FakeTask()
        let others = [FakeTask(), FakeTask()]
        for task in [task] + others { rig.post(.AFNetworkingTaskDidResume, task) }
        rig.post(.AFNetworkingTaskDidSuspend, task)
        rig.post(.AFNetworkingTaskDidComplete, task)
        #expect(rig.manager.activityCount == 1)
        rig.post(.AFNetworkingTaskDidComplete, FakeTask())
        #expect(rig.manager.activityCount == 0)
    }

    @Test("A26: a decrement that overtakes its increment leaves the count at 1; a token's end cannot")
    func overtaking() {
        let rig = ActivityRig(compatibility: .afnetworking)
        rig.decrement()
        rig.increment()
        #expect(rig.manager.activityCount == 1)
        rig.decrement()
        let token = rig.manager.beginActivity()
        token.end()
        #expect(rig.manager.activityCount == 0)
    }

    @Test("A26: a token ends once, however often it is ended", arguments: [[], ActivityCompatibility.afnetworking])
    func tokenEndsOnce(compatibility: ActivityCompatibility) {
        let rig = ActivityRig(compatibility: compatibility)
        let first = rig.manager.beginActivity()
        let second = rig.manager.beginActivity()
        #expect(rig.manager.activityCount == 2 && !first.isEnded)
        first.end()
        first.end()
        #expect(rig.manager.activityCount == 1 && first.isEnded && !second.isEnded)
        #expect(rig.scheduler.enqueuedCount == 3)
        second.end()
        #expect(rig.manager.activityCount == 0)
    }

    @Test(
        "A3, A26: a paused token is not counted until it is resumed",
        arguments: [[], ActivityCompatibility.afnetworking]
    )
    func tokenPauses(compatibility: ActivityCompatibility) {
        let rig = ActivityRig(compatibility: compatibility)
        let other = rig.manager.beginActivity()
        let token = rig.manager.beginActivity()
        #expect(rig.manager.activityCount == 2 && token.isCounted)
        token.pause()
        token.pause()
        #expect(rig.manager.activityCount == 1 && token.isPaused && !token.isCounted)
        token.resume()
        token.resume()
        #expect(rig.manager.activityCount == 2 && token.isCounted)
        token.pause()
        token.end()
        #expect(rig.manager.activityCount == 1 && token.isEnded && !token.isPaused)
        token.resume()
        token.pause()
        #expect(rig.manager.activityCount == 1)
        other.end()
        #expect(rig.manager.activityCount == 0)
    }

    @Test("A26: threads that pause and resume one token leave the count at its last state")
    func tokenPausesOnThreads() async {
        for compatibility in [[], ActivityCompatibility.afnetworking] {
            let rig = ActivityRig(compatibility: compatibility)
            let token = rig.manager.beginActivity()
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<8 {
                    group.addTask {
                        for _ in 0..<200 {
                            if index.isMultiple(of: 2) { token.pause() } else { token.resume() }
                        }
                    }
                }
            }
            #expect(rig.manager.activityCount == (token.isCounted ? 1 : 0))
            token.end()
            #expect(rig.manager.activityCount == 0)
        }
    }

    @Test("A26: a token that is released ends its activity")
    func tokenReleased() {
        let rig = ActivityRig()
        do {
            let token = rig.manager.beginActivity()
            #expect(rig.manager.activityCount == 1)
            withExtendedLifetime(token) {}
        }
        #expect(rig.manager.activityCount == 0)
    }

    @Test("A26: a token outlives its manager, and keeps it not alive")
    func tokenOutlives() {
        weak var weakManager: NetworkActivityIndicatorManager?
        let token: NetworkActivityToken
        do {
            let manager = NetworkActivityIndicatorManager(notificationCenter: NotificationCenter())
            weakManager = manager
            token = manager.beginActivity()
        }
        #expect(weakManager == nil)
        token.end()
        #expect(token.isEnded)
    }

    @Test("A4, A26, fixed: a surplus decrement ends no token and no task")
    func unnamedSurplus() {
        let rig = ActivityRig()
        let token = rig.manager.beginActivity()
        rig.manager.decrementActivityCount()
        #expect(rig.manager.activityCount == 1)
        token.end()
        #expect(rig.manager.activityCount == 0)
    }
}
