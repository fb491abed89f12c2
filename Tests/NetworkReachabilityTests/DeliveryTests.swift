// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import Foundation
import KeyValueObserving
import Synchronization
import SystemConfiguration
import Testing

@testable import NetworkReachability

@Suite("Delivering", .timeLimit(.minutes(15)))
struct DeliveryTests {
    @Test("R17, K12: observers first, then the block, then the notification; all see the new status")
    func order() {
        let rig = Rig()
        let observation = rig.manager.observe(.networkReachabilityStatus, options: [.new]) { [told = rig.told] in
            told.append("observer \($1.new?.rawValue ?? -9) sees \($0.networkReachabilityStatus.rawValue)")
        }
        rig.manager.setReachabilityStatusChange { [told = rig.told, weak manager = rig.manager] in
            told.append("block \($0.rawValue) sees \(manager?.networkReachabilityStatus.rawValue ?? -9)")
        }
        let token = NotificationToken(center: rig.center) { [told = rig.told] in
            let manager = $0.object as? NetworkReachabilityManager
            told.append("notification sees \(manager?.networkReachabilityStatus.rawValue ?? -9)")
        }
        rig.manager.startMonitoring()
        rig.target.emit([])
        rig.drain()
        #expect(
            rig.told.lines.suffix(3) == ["observer 0 sees 0", "block 0 sees 0", "notification sees 0"]
        )
        #expect(rig.told.lines.count == 6)
        withExtendedLifetime((observation, token)) {}
    }

    @Test("R17: the block is the one that is set at that moment, also by an observer of the same delivery")
    func blockSetByObserver() {
        let rig = Rig()
        let observation = rig.manager.observe(.networkReachabilityStatus) { [told = rig.told] manager, _ in
            manager.setReachabilityStatusChange { told.append("block \($0.rawValue)") }
        }
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.told.lines == ["block 2"])
        observation.cancel()
    }

    @Test("R18: deliveries come in the order in which they were queued")
    func fifo() {
        let rig = Rig()
        rig.manager.startMonitoring()
        rig.drain()
        rig.noteBlock()
        let script: [SCNetworkReachabilityFlags] = (0..<300).map {
            [[], [.reachable], [.reachable, .isWWAN]][($0 * 7 + $0 / 5) % 3]
        }
        for flags in script { rig.target.emit(flags) }
        rig.drain()
        #expect(rig.told.lines == script.map { "block \(NetworkReachabilityStatus(flags: $0).rawValue)" })
    }

    @Test("R19: a call that was queued before the initial state was read does not bring an older state back")
    func noOlderValue() {
        let rig = Rig(flags: [])
        rig.noteBlock()
        rig.target.duringNextQuery { [target = rig.target] in
            // Queued just before the read took place, told after it: reachable is the past.
            target.repeatLate(.reachable)
        }
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.told.lines == ["block 0", "block 0"])
        #expect(rig.manager.networkReachabilityStatus == .notReachable)
    }

    @Test("R19: a call that was queued before the initial delivery is delivered with the newest state")
    func noOlderValueBeforeInitial() {
        let rig = Rig()
        rig.noteBlock()
        rig.queue.sync {
            rig.manager.startMonitoring()
            rig.target.emit(.reachable)
            rig.target.set([])
        }
        rig.drain()
        #expect(rig.told.lines.last == "block 0")
        #expect(!rig.told.lines.contains("block 2"))
    }

    @Test("R19: once settled, each call is delivered with its own state")
    func flapsAfterSettling() {
        let rig = Rig()
        rig.manager.startMonitoring()
        rig.drain()
        rig.noteBlock()
        rig.queue.sync {
            rig.target.emit([])
            rig.target.emit(.reachable)
        }
        rig.drain()
        #expect(rig.told.lines == ["block 0", "block 2"])
    }

    @Test("R19: deliveries are numbered")
    func sequence() {
        let rig = Rig()
        #expect(rig.manager.deliverySequence == 0)
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.manager.deliverySequence == 1)
        rig.target.emit([])
        rig.drain()
        rig.manager.stopMonitoring()
        rig.target.emit(.reachable)
        rig.drain()
        #expect(rig.manager.deliverySequence == 2)
    }

    @Test("R20: an equal status is delivered again to all three")
    func noDeduplication() {
        let rig = Rig()
        rig.noteBlock()
        let (observation, token) = (rig.noteObserver(), rig.noteNotifications())
        rig.manager.startMonitoring()
        rig.drain()
        rig.target.emit([.reachable, .isDirect])
        rig.drain()
        #expect(
            rig.told.lines == ["observer 2", "block 2", "notification 2", "observer 2", "block 2", "notification 2"]
        )
        withExtendedLifetime((observation, token)) {}
    }

    @Test("R21: name and key are the original's, the status is an integer, the sender is the manager (R22)")
    func notification() throws {
        #expect(
            AFNetworkingReachabilityDidChangeNotification.rawValue == "com.alamofire.networking.reachability.change"
        )
        #expect(AFNetworkingReachabilityNotificationStatusItem == "AFNetworkingReachabilityNotificationStatusItem")
        let rig = Rig(flags: [.reachable, .isWWAN])
        let statuses = Mutex<[Int?]>([])
        let token = NotificationToken(center: rig.center, object: rig.manager) { notification in
            let status = notification.userInfo?["AFNetworkingReachabilityNotificationStatusItem"] as? Int
            statuses.withLock { $0.append(status) }
        }
        let other = NotificationToken(center: rig.center, object: Rig().manager) { _ in Issue.record("not the sender") }
        rig.manager.startMonitoring()
        rig.drain()
        #expect(statuses.withLock { $0 } == [1])
        withExtendedLifetime((token, other)) {}
    }

    @Test("K21: all listeners ran when the delivery ends")
    func synchronousPosting() {
        let rig = Rig()
        let token = rig.noteNotifications()
        rig.manager.startMonitoring()
        rig.manager.executor.async { [told = rig.told] in told.append("next") }
        rig.drain()
        #expect(rig.told.lines == ["notification 2", "next"])
        withExtendedLifetime(token) {}
    }

    @Test("R22: nothing is posted for a released manager")
    func noGhost() {
        let queue = DispatchQueue(label: "delivery")
        let (target, center, told) = (ScriptedTarget(), NotificationCenter(), Journal())
        let token = NotificationToken(center: center) { _ in told.append("notification") }
        var manager: NetworkReachabilityManager? = NetworkReachabilityManager(
            target: target,
            deliveryQueue: queue,
            notificationCenter: center
        )
        manager?.startMonitoring()
        for _ in 0..<3 { manager?.executor.sync {} }
        #expect(told.takeAll() == ["notification"])
        queue.suspend()
        target.emit([])
        manager = nil
        queue.resume()
        queue.sync {}
        queue.sync {}
        #expect(told.lines.isEmpty)
        withExtendedLifetime(token) {}
    }

    @Test("R23: one block; setting replaces, nil clears, and setting delivers nothing")
    func blockSlot() {
        let rig = Rig()
        rig.manager.startMonitoring()
        rig.drain()
        rig.manager.setReachabilityStatusChange { [told = rig.told] _ in told.append("first") }
        rig.drain()
        #expect(rig.told.lines.isEmpty)
        rig.manager.setReachabilityStatusChange { [told = rig.told] _ in told.append("second") }
        rig.target.emit([])
        rig.drain()
        #expect(rig.told.takeAll() == ["second"])
        rig.manager.setReachabilityStatusChange(nil)
        rig.target.emit(.reachable)
        rig.drain()
        #expect(rig.told.lines.isEmpty)
        #expect(rig.manager.networkReachabilityStatus == .reachableViaWiFi)
    }

    @Test("R23: objects that a replaced block holds are released outside the lock")
    func replacedBlock() {
        final class Witness: Sendable {
            let manager: NetworkReachabilityManager
            init(_ manager: NetworkReachabilityManager) { self.manager = manager }
            deinit { _ = manager.networkReachabilityStatus }
        }
        let rig = Rig()
        var witness: Witness? = Witness(rig.manager)
        weak let weakWitness = witness
        rig.manager.setReachabilityStatusChange { [witness] _ in withExtendedLifetime(witness) {} }
        witness = nil
        rig.manager.setReachabilityStatusChange(nil)
        #expect(weakWitness == nil)
    }

    @Test("R29: all three are delivered on the delivery queue, also when it is concurrent")
    func deliveryQueue() {
        let mark = DispatchSpecificKey<String>()
        for attributes in [DispatchQueue.Attributes(), .concurrent] {
            let queue = DispatchQueue(label: "delivery", attributes: attributes)
            queue.setSpecific(key: mark, value: "delivery")
            let rig = Rig(queue: queue)
            let note: @Sendable () -> Void = { [told = rig.told] in
                told.append(DispatchQueue.getSpecific(key: mark) ?? "elsewhere")
            }
            let observation = rig.manager.observe(.reachable) { _, _ in note() }
            rig.manager.setReachabilityStatusChange { _ in note() }
            let token = NotificationToken(center: rig.center) { _ in note() }
            rig.manager.startMonitoring()
            rig.drain()
            #expect(rig.told.lines == ["delivery", "delivery", "delivery"])
            withExtendedLifetime((observation, token)) {}
        }
    }

    @Test("R21, R29: by default the main queue and the default centre")
    @MainActor func mainQueue() async {
        let target = ScriptedTarget()
        let manager = NetworkReachabilityManager(
            target: target,
            deliveryQueue: .main,
            notificationCenter: .default
        )
        // Not asked of Thread: once dispatch runs the main queue, it may do so on any thread.
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        var token: NotificationToken?
        let isMain = await withCheckedContinuation { continuation in
            token = NotificationToken(center: .default, object: manager) { _ in
                continuation.resume(returning: DispatchQueue.getSpecific(key: mark) == true)
            }
            manager.startMonitoring()
        }
        #expect(isMain)
        manager.stopMonitoring()
        withExtendedLifetime(token) {}
    }
}
