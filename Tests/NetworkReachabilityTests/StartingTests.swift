// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import Foundation
import Testing

@testable import NetworkReachability

@Suite("Construction and starting", .timeLimit(.minutes(15)))
struct StartingTests {
    @Test("R7: a fresh manager is unknown and does not query its target")
    func fresh() {
        let rig = Rig()
        rig.drain()
        #expect(rig.manager.networkReachabilityStatus == .unknown)
        #expect(!rig.manager.isMonitoring)
        #expect(rig.target.calls.isEmpty)
    }

    @Test("R3: a fresh manager is not reachable in any way")
    func freshBooleans() {
        let manager = Rig().manager
        #expect(!manager.isReachable && !manager.isReachableViaWWAN && !manager.isReachableViaWiFi)
        #expect(manager.localizedNetworkReachabilityStatusString() == "Unknown")
    }

    @Test("R3: the booleans follow the status")
    func booleans() {
        let rig = Rig(flags: [.reachable, .isWWAN])
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.manager.isReachable && rig.manager.isReachableViaWWAN && !rig.manager.isReachableViaWiFi)
        #expect(rig.manager.localizedNetworkReachabilityStatusString() == "Reachable via WWAN")
        rig.target.emit(.reachable)
        rig.drain()
        #expect(rig.manager.isReachable && !rig.manager.isReachableViaWWAN && rig.manager.isReachableViaWiFi)
        rig.target.emit([])
        rig.drain()
        #expect(!rig.manager.isReachable && !rig.manager.isReachableViaWWAN && !rig.manager.isReachableViaWiFi)
    }

    @Test("R9: the manager keeps its target, and unschedules it when it goes")
    func release() {
        let target = ScriptedTarget()
        var manager: NetworkReachabilityManager? = NetworkReachabilityManager(
            target: target,
            deliveryQueue: DispatchQueue(label: "delivery"),
            notificationCenter: NotificationCenter()
        )
        weak let weakManager = manager
        manager?.startMonitoring()
        manager?.executor.sync {}
        manager?.executor.sync {}
        #expect(target.isScheduled)
        manager = nil
        #expect(weakManager == nil, "the handler holds the manager weakly (R11)")
        #expect(!target.isScheduled)
    }

    @Test("R10, R11, R13: start stops first, installs the handler, schedules, then reads the flags")
    func orderOfStart() {
        let rig = Rig()
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.target.calls == [.unschedule, .handler, .schedule, .query])
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.target.calls.suffix(4) == [.unschedule, .handler, .schedule, .query])
        #expect(rig.manager.isMonitoring)
    }

    @Test("R12: when the query fails nothing is delivered and the status stays")
    func failingQuery() {
        let rig = Rig(flags: nil)
        rig.noteBlock()
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.told.lines.isEmpty)
        #expect(rig.manager.networkReachabilityStatus == .unknown)
        rig.target.emit(.reachable)
        rig.drain()
        rig.target.set(nil)
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.told.lines == ["block 2"])
        #expect(rig.manager.networkReachabilityStatus == .reachableViaWiFi)
    }

    @Test("R14, R27: one initial delivery after each start, though nothing changed")
    func initialDelivery() {
        let rig = Rig()
        rig.noteBlock()
        for _ in 0..<3 {
            rig.manager.startMonitoring()
            rig.drain()
            #expect(rig.told.takeAll() == ["block 2"])
        }
        rig.manager.stopMonitoring()
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.told.lines == ["block 2"])
    }

    @Test("R14: starts in a row make one initial delivery, that of the last")
    func startsInARow() {
        let rig = Rig()
        rig.noteBlock()
        rig.queue.sync {
            for _ in 0..<5 { rig.manager.startMonitoring() }
        }
        rig.drain()
        #expect(rig.told.lines == ["block 2"])
    }

    @Test("R14: an initial delivery is made offline too")
    func initialDeliveryOffline() {
        let rig = Rig(flags: [])
        rig.noteBlock()
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.told.lines == ["block 0"])
    }

    @Test("R14: never before start has returned to a caller on the delivery queue")
    func notBeforeStartReturns() {
        let rig = Rig()
        rig.noteBlock()
        rig.queue.sync {
            rig.manager.startMonitoring()
            #expect(rig.told.lines.isEmpty)
            #expect(rig.manager.networkReachabilityStatus == .unknown)
        }
        rig.drain()
        #expect(rig.told.lines == ["block 2"])
    }

    @Test("R15: the manager lives until its initial delivery is made")
    func livesUntilInitialDelivery() throws {
        let queue = DispatchQueue(label: "delivery", attributes: .initiallyInactive)
        let told = Journal()
        var manager: NetworkReachabilityManager? = NetworkReachabilityManager(
            target: ScriptedTarget(),
            deliveryQueue: queue,
            notificationCenter: NotificationCenter()
        )
        weak let weakManager = manager
        let delivered = DispatchSemaphore(value: 0)
        manager?.setReachabilityStatusChange {
            told.append("block \($0.rawValue)")
            delivered.signal()
        }
        manager?.startMonitoring()
        manager = nil
        let isAlive = weakManager != nil
        queue.activate()
        try #require(isAlive)
        delivered.wait()
        #expect(told.lines == ["block 2"])
    }
}
