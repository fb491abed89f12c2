// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import KeyValueObserving
import SystemConfiguration
import Testing

@testable import NetworkReachability

@Suite("Key-value observing of a manager", .timeLimit(.minutes(15)))
struct ObservingTests {
    private let rig = Rig(flags: [])

    private func note<Value>(
        _ key: ObservableKey<NetworkReachabilityManager, Value>,
        options: ObservationOptions = [.new, .old]
    ) -> KeyValueObservation {
        rig.manager.observe(key, options: options) { [told = rig.told] _, change in
            let old = change.old.map { "\($0)" } ?? "-"
            let new = change.new.map { "\($0)" } ?? "-"
            told.append("\(change.isPrior ? "will" : "did") \(key.name) \(old) \(new)")
        }
    }

    private func started() {
        rig.manager.startMonitoring()
        rig.drain()
        _ = rig.told.takeAll()
    }

    @Test("K9: the three booleans depend on the status")
    func dependents() {
        started()
        let observations = [note(.reachable), note(.reachableViaWWAN), note(.reachableViaWiFi)]
        rig.target.emit([.reachable, .isWWAN])
        rig.drain()
        #expect(
            rig.told.lines == [
                "did reachable false true", "did reachableViaWWAN false true", "did reachableViaWiFi false false",
            ]
        )
        for observation in observations { observation.cancel() }
    }

    @Test("K10: prior of all, then the value, then the rest of all; dependents fire without a change too")
    func pairs() {
        started()
        let options: ObservationOptions = [.new, .old, .prior]
        let observations = [
            note(.networkReachabilityStatus, options: options), note(.reachable, options: options),
        ]
        rig.target.emit([])
        rig.drain()
        #expect(
            rig.told.takeAll() == [
                "will networkReachabilityStatus notReachable -", "will reachable false -",
                "did networkReachabilityStatus notReachable notReachable", "did reachable false false",
            ]
        )
        rig.target.emit(.reachable)
        rig.drain()
        _ = rig.told.takeAll()
        rig.target.emit([.reachable, .isWWAN])
        rig.drain()
        #expect(
            rig.told.lines == [
                "will networkReachabilityStatus reachableViaWiFi -", "will reachable true -",
                "did networkReachabilityStatus reachableViaWiFi reachableViaWWAN", "did reachable true true",
            ]
        )
        for observation in observations { observation.cancel() }
    }

    @Test("K11: keys are named as the properties, not as their getters")
    func names() {
        typealias BoolKey = ObservableKey<NetworkReachabilityManager, Bool>
        #expect(
            ObservableKey<NetworkReachabilityManager, NetworkReachabilityStatus>.networkReachabilityStatus.name
                == "networkReachabilityStatus"
        )
        #expect(BoolKey.reachable.name == "reachable")
        #expect(BoolKey.reachableViaWWAN.name == "reachableViaWWAN")
        #expect(BoolKey.reachableViaWiFi.name == "reachableViaWiFi")
    }

    @Test("K11: observing under a getter's name yields nothing")
    func getterName() {
        started()
        let key = ObservableKey<NetworkReachabilityManager, Bool>("isReachable") { $0.isReachable }
        let observation = note(key)
        rig.target.emit(.reachable)
        rig.drain()
        #expect(rig.told.lines.isEmpty)
        observation.cancel()
    }

    @Test("K13: initial on a fresh manager is unknown, and false for the booleans")
    func initial() {
        let observations = [
            note(.networkReachabilityStatus, options: [.initial, .new]), note(.reachable, options: [.initial, .new]),
            note(.reachableViaWWAN, options: [.initial, .new]), note(.reachableViaWiFi, options: [.initial, .new]),
        ]
        #expect(
            rig.told.lines == [
                "did networkReachabilityStatus - unknown", "did reachable - false", "did reachableViaWWAN - false",
                "did reachableViaWiFi - false",
            ]
        )
        for observation in observations { observation.cancel() }
    }

    @Test("K14: exactly one pair for each delivery")
    func onePair() {
        started()
        let observation = note(.networkReachabilityStatus, options: [.prior])
        for _ in 0..<5 { rig.target.emit(.reachable) }
        rig.drain()
        let pair = ["will networkReachabilityStatus - -", "did networkReachabilityStatus - -"]
        #expect(rig.told.lines == Array(repeating: pair, count: 5).flatMap { $0 })
        observation.cancel()
    }

    @Test("The status as a sequence")
    func sequence() async {
        let changes = rig.manager.changes(of: .networkReachabilityStatus)
        rig.manager.startMonitoring()
        rig.target.emit(.reachable)
        var seen: [NetworkReachabilityStatus?] = []
        for await event in changes {
            seen.append(event.change?.new)
            if event.change?.new == .reachableViaWiFi { break }
        }
        #expect(seen.first == .some(.unknown))
        #expect(seen.last == .some(.reachableViaWiFi))
        rig.manager.stopMonitoring()
    }
}
