// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ActivityTracking
import Foundation
import KeyValueObserving
import Testing

@testable import NetworkReachability

@Suite("Activity: key-value observing")
struct ActivityObservingTests {
    private let rig = ActivityRig()

    @Test("K11, K19: keys are named as the properties, not as their getters")
    func names() {
        typealias Key<Value: Sendable> = ObservableKey<NetworkActivityIndicatorManager, Value>
        #expect(Key<Bool>.enabled.name == "enabled")
        #expect(Key<Bool>.networkActivityIndicatorVisible.name == "networkActivityIndicatorVisible")
        #expect(Key<TimeInterval>.activationDelay.name == "activationDelay")
        #expect(Key<TimeInterval>.completionDelay.name == "completionDelay")
        #expect(Key<Int>.activityCount.name == "activityCount")
        #expect(Key<NetworkActivityManagerState>.currentState.name == "currentState")
    }

    @Test("K15: one pair for each count, before the call returns; also from 0 to 0")
    func count() {
        let observation = rig.note(.activityCount)
        rig.manager.incrementActivityCount()
        #expect(rig.told.takeAll() == ["will activityCount 0", "did activityCount 0 1"])
        rig.manager.decrementActivityCount()
        rig.manager.decrementActivityCount()
        #expect(
            rig.told.lines == [
                "will activityCount 1", "did activityCount 1 0", "will activityCount 0", "did activityCount 0 0",
            ]
        )
        observation.cancel()
    }

    @Test("K16: disabling an inactive indicator notifies of the state, not of visibility")
    func disableTwice() {
        let observations = [rig.note(.currentState), rig.note(.networkActivityIndicatorVisible)]
        rig.manager.isEnabled = false
        #expect(rig.told.lines == ["will currentState notActive", "did currentState notActive notActive"])
        for observation in observations { observation.cancel() }
    }

    @Test("K16: a start that shows nothing notifies of visibility from false to false")
    func falseToFalse() {
        let observation = rig.note(.networkActivityIndicatorVisible)
        rig.increment()
        rig.decrement()
        rig.scheduler.advance(by: .seconds(1))
        #expect(
            rig.told.lines == [
                "will networkActivityIndicatorVisible false", "did networkActivityIndicatorVisible false false",
            ]
        )
        observation.cancel()
    }

    @Test("K17, K18: visibility nests in the state, the action between its halves; one pair each")
    func nesting() {
        let observations = [rig.note(.currentState), rig.note(.networkActivityIndicatorVisible)]
        rig.manager.setNetworkingActivityAction { [told = rig.told, weak manager = rig.manager] isVisible in
            guard let manager else { return }
            let seen = "\(manager.isNetworkActivityIndicatorVisible) \(manager.currentState)"
            told.append("action \(isVisible) sees \(seen)")
        }
        rig.increment()
        _ = rig.told.takeAll()
        rig.scheduler.fireNext()
        #expect(
            rig.told.takeAll() == [
                "will currentState delayingStart", "will networkActivityIndicatorVisible false",
                "action true sees true active", "did networkActivityIndicatorVisible false true",
                "did currentState delayingStart active",
            ]
        )
        rig.decrement()
        #expect(rig.told.takeAll() == ["will currentState active", "did currentState active delayingEnd"])
        rig.scheduler.fireNext()
        #expect(
            rig.told.takeAll() == [
                "will currentState delayingEnd", "will networkActivityIndicatorVisible true",
                "action false sees false notActive", "did networkActivityIndicatorVisible true false",
                "did currentState delayingEnd notActive",
            ]
        )
        for observation in observations { observation.cancel() }
    }

    @Test("K19: enabled and the delays notify with every setting")
    func settings() {
        let observations = [rig.note(.enabled), rig.note(.currentState)]
        let delays = [rig.note(.activationDelay), rig.note(.completionDelay)]
        rig.manager.isEnabled = true
        rig.manager.isEnabled = false
        #expect(
            rig.told.takeAll() == [
                "will enabled true", "did enabled true true", "will enabled true", "will currentState notActive",
                "did currentState notActive notActive", "did enabled true false",
            ]
        )
        rig.manager.activationDelay = 2
        rig.manager.completionDelay = 0.17
        #expect(
            rig.told.lines == [
                "will activationDelay 1.0", "did activationDelay 1.0 2.0", "will completionDelay 0.17",
                "did completionDelay 0.17 0.17",
            ]
        )
        for observation in observations + delays { observation.cancel() }
    }

    @Test("K20: no key depends on another")
    func independent() {
        #expect(ObservableKey<NetworkActivityIndicatorManager, Int>.activityCount.sources == ["activityCount"])
        #expect(
            ObservableKey<NetworkActivityIndicatorManager, Bool>.networkActivityIndicatorVisible.sources
                == ["networkActivityIndicatorVisible"]
        )
        #expect(
            ObservableKey<NetworkActivityIndicatorManager, NetworkActivityManagerState>.currentState.sources
                == ["currentState"]
        )
    }
}
