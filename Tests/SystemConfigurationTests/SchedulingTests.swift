// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import SystemConfiguration
import TestSupport
import Testing

@Suite struct SchedulingTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine
    private let queue = DispatchQueue(label: "scheduling")
    private let target: SCNetworkReachability

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
        target = SCNetworkReachability(PathRequest(.defaultPath()), hub: hub)
    }

    @Test("R62: scheduling on a queue twice fails")
    func queueTwice() {
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(!SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        #expect(engine.counts.added == 1)
    }

    @Test("R62: a queue and run loops exclude each other")
    func exclusive() {
        let loop: CFRunLoop = CFRunLoopGetMain()
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(!SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))

        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(!SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopDefaultMode))
    }

    @Test("R24: unscheduling an unscheduled target does nothing and returns an error")
    func notScheduled() {
        #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
        #expect(SCError() == kSCStatusInvalidArgument)
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), kCFRunLoopDefaultMode))
        #expect(SCError() == kSCStatusInvalidArgument)
    }

    @Test("A loop and mode that the target is not on is ignored while it is on others")
    func foreignPair() {
        let loop: CFRunLoop = CFRunLoopGetMain()
        SCNetworkReachabilityScheduleWithRunLoop(target, loop, kCFRunLoopDefaultMode)
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopCommonModes))
        #expect(engine.watched.count == 1)
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, loop, kCFRunLoopDefaultMode))
        #expect(engine.watched.isEmpty)
    }

    @Test("Scheduling from many threads keeps engine and target in step")
    func manyThreads() {
        let target = target
        let queue = queue
        DispatchQueue.concurrentPerform(iterations: 200) { round in
            if round.isMultiple(of: 2) {
                SCNetworkReachabilitySetDispatchQueue(target, queue)
            } else {
                SCNetworkReachabilitySetDispatchQueue(target, nil)
            }
        }
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        #expect(engine.watched.isEmpty)
        #expect(engine.counts.added == engine.counts.removed)
    }
}
