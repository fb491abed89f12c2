// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import KeyValueObserving
import Synchronization
import SystemConfiguration
import Testing

@testable import NetworkReachability

@Suite("Stopping", .timeLimit(.minutes(15)))
struct StoppingTests {
    @Test("R24: stop unschedules, may be called again and again, and without a start")
    func idempotent() {
        let rig = Rig()
        rig.manager.stopMonitoring()
        rig.queue.sync {
            rig.manager.startMonitoring()
            #expect(rig.target.isScheduled)
            rig.manager.stopMonitoring()
            rig.manager.stopMonitoring()
        }
        rig.drain()
        #expect(!rig.target.isScheduled && !rig.manager.isMonitoring)
        #expect(rig.manager.networkReachabilityStatus == .unknown)
    }

    @Test("R25: stop keeps the status and the block")
    func keeps() {
        let rig = Rig()
        rig.noteBlock()
        rig.manager.startMonitoring()
        rig.drain()
        rig.manager.stopMonitoring()
        #expect(rig.manager.networkReachabilityStatus == .reachableViaWiFi)
        #expect(rig.told.takeAll() == ["block 2"])
        rig.target.set([])
        rig.drain()
        #expect(rig.manager.networkReachabilityStatus == .reachableViaWiFi)
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.told.lines == ["block 0"])
    }

    @Test("R26: a delivery that was queued before a stop on the delivery queue is not made")
    func barrier() {
        let rig = Rig()
        rig.noteBlock()
        let (observation, token) = (rig.noteObserver(), rig.noteNotifications())
        rig.manager.startMonitoring()
        rig.drain()
        _ = rig.told.takeAll()
        rig.queue.sync {
            rig.target.emit([])
            rig.manager.stopMonitoring()
        }
        rig.drain()
        #expect(rig.told.lines.isEmpty)
        #expect(rig.manager.networkReachabilityStatus == .reachableViaWiFi)
        withExtendedLifetime((observation, token)) {}
    }

    @Test("R26: an initial delivery that was queued before the stop is not made")
    func barrierForInitial() {
        let rig = Rig()
        rig.noteBlock()
        rig.queue.sync {
            rig.manager.startMonitoring()
            rig.manager.stopMonitoring()
        }
        rig.drain()
        #expect(rig.told.lines.isEmpty)
    }

    @Test("R26: a call of the run before does not reach the run after")
    func otherRun() {
        let rig = Rig()
        rig.noteBlock()
        rig.manager.startMonitoring()
        rig.drain()
        _ = rig.told.takeAll()
        rig.queue.sync {
            rig.target.emit([])
            rig.target.set([.reachable, .isWWAN])
            rig.manager.startMonitoring()
        }
        rig.drain()
        #expect(rig.told.lines == ["block 1"])
    }

    @Test("R26: stop inside an observer: neither block nor notification of that delivery follow")
    func stopInsideObserver() {
        let rig = Rig()
        rig.noteBlock()
        let first = rig.manager.observe(.networkReachabilityStatus) { manager, _ in manager.stopMonitoring() }
        let (second, token) = (rig.noteObserver(), rig.noteNotifications())
        rig.queue.sync {
            rig.manager.startMonitoring()
            rig.target.emit(.reachable)
        }
        rig.drain()
        #expect(rig.told.lines == ["observer 2"], "the change itself is told to its end (K14)")
        withExtendedLifetime((first, second, token)) {}
    }

    @Test("R26: stop inside the block: the notification of that delivery does not follow")
    func stopInsideBlock() {
        let rig = Rig()
        let token = rig.noteNotifications()
        rig.manager.setReachabilityStatusChange { [weak manager = rig.manager, told = rig.told] in
            told.append("block \($0.rawValue)")
            manager?.stopMonitoring()
        }
        rig.queue.sync {
            rig.manager.startMonitoring()
            rig.target.emit(.reachable)
        }
        rig.drain()
        #expect(rig.told.lines == ["block 2"])
        withExtendedLifetime(token) {}
    }

    @Test("R26, R14: a restart inside the block begins a separate delivery to all")
    func restartInsideBlock() {
        let rig = Rig()
        let token = rig.noteNotifications()
        let isFirst = Atomic<Bool>(true)
        rig.manager.setReachabilityStatusChange { [weak manager = rig.manager, told = rig.told] in
            told.append("block \($0.rawValue)")
            if isFirst.exchange(false, ordering: .relaxed) { manager?.startMonitoring() }
        }
        rig.manager.startMonitoring()
        rig.drain()
        #expect(rig.told.lines == ["block 2", "block 2", "notification 2"])
        withExtendedLifetime(token) {}
    }

    @Test("R26: stop from elsewhere lets the delivery under way end, and nothing after it")
    func stopFromElsewhere() {
        let rig = Rig()
        let token = rig.noteNotifications()
        let (entered, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        rig.manager.setReachabilityStatusChange { [told = rig.told] in
            told.append("block \($0.rawValue)")
            entered.signal()
            goOn.wait()
        }
        rig.manager.startMonitoring()
        entered.wait()
        rig.target.emit([])
        rig.manager.stopMonitoring()
        goOn.signal()
        rig.drain()
        #expect(rig.told.lines == ["block 2", "notification 2"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "R24, R26: many threads start, stop and change; each delivery is whole, numbered, and barred by the last stop"
    )
    func manyThreads() {
        let rig = Rig()
        rig.noteBlock()
        let (observation, token) = (rig.noteObserver(), rig.noteNotifications())
        let script: [SCNetworkReachabilityFlags] = [[], .reachable, [.reachable, .isWWAN]]
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            for step in 0..<150 {
                switch thread {
                case 0, 1: rig.manager.startMonitoring()
                case 2: rig.manager.stopMonitoring()
                default: rig.target.emit(script[(thread + step) % 3])
                }
            }
        }
        rig.manager.stopMonitoring()
        rig.manager.executor.sync {}
        let lines = rig.told.takeAll()
        // Triples of observer, block, notification with one status.
        #expect(lines.count % 3 == 0)
        for start in stride(from: 0, to: lines.count - 2, by: 3) {
            let words = lines[start..<start + 3].map { $0.split(separator: " ") }
            #expect(words.map { $0[0] } == ["observer", "block", "notification"])
            #expect(Set(words.map { $0[1] }).count == 1)
        }
        #expect(rig.manager.deliverySequence == UInt64(lines.count / 3))
        #expect(!rig.target.isScheduled)
        rig.target.emit(.reachable)
        rig.drain()
        #expect(rig.told.lines.isEmpty)
        withExtendedLifetime((observation, token)) {}
    }

    @Test("R26: a stop on the delivery queue is a barrier under load")
    func barrierUnderLoad() {
        let rig = Rig()
        let isStopped = Atomic<Bool>(true)
        let late = Atomic<Int>(0)
        rig.manager.setReachabilityStatusChange { _ in
            if isStopped.load(ordering: .acquiring) { late.add(1, ordering: .relaxed) }
        }
        let isDone = Atomic<Bool>(false)
        let ended = DispatchGroup()
        DispatchQueue.global().async(group: ended) {
            while !isDone.load(ordering: .acquiring) {
                for _ in 0..<8 { rig.target.emit(.reachable) }
                // Paced, or the queue would grow without bound and its end never come.
                rig.manager.executor.sync {}
            }
        }
        for _ in 0..<200 {
            rig.queue.sync {
                isStopped.store(false, ordering: .releasing)
                rig.manager.startMonitoring()
            }
            rig.queue.sync {
                rig.manager.stopMonitoring()
                isStopped.store(true, ordering: .releasing)
            }
        }
        isDone.store(true, ordering: .releasing)
        ended.wait()
        rig.drain()
        #expect(late.load(ordering: .relaxed) == 0)
    }
}
