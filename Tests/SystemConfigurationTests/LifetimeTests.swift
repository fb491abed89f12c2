// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import SystemConfiguration
import TestSupport
import Testing

/// A scheduled target lives until it is unscheduled, an unscheduled one as long as its owner wants.
@Suite struct LifetimeTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine
    private let log = CallLog()
    private let counts = ContextCounts()

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
    }

    private func makeTarget() -> SCNetworkReachability {
        let target = SCNetworkReachability(PathRequest(.defaultPath()), hub: hub)
        var context = unsafe counts.context
        unsafe SCNetworkReachabilitySetCallback(target, log.callback, &context)
        return target
    }

    @Test("Released by its owner while on a queue, a target continues and ends when it is unscheduled")
    func onQueue() {
        let queue = DispatchQueue(label: "lifetime")
        weak var seen: SCNetworkReachability?
        do {
            let target = makeTarget()
            SCNetworkReachabilitySetDispatchQueue(target, queue)
            seen = target
        }
        engine.emit([])
        queue.sync {}
        #expect(log.flags == [[]])
        if let target = seen { SCNetworkReachabilitySetDispatchQueue(target, nil) }
        queue.sync {}
        #expect(seen == nil)
        #expect(counts.now.retains == counts.now.releases)
        #expect(engine.watched.isEmpty)
    }

    @Test("Released by its owner while on a run loop, a target continues and ends when it is unscheduled")
    func onRunLoop() {
        let thread = RunLoopThread()
        weak var seen: SCNetworkReachability?
        do {
            let target = makeTarget()
            SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
            seen = target
        }
        engine.emit([])
        log.wait()
        if let target = seen {
            SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        }
        thread.settle()
        #expect(seen == nil)
        #expect(counts.now.retains == counts.now.releases)
        thread.stop()
    }

    @Test("A second loop makes no second source, and nothing outlives the last unscheduling")
    func secondLoop() {
        let thread = RunLoopThread()
        weak var seen: SCNetworkReachability?
        do {
            let target = makeTarget()
            seen = target
            for mode: CFRunLoopMode in [kCFRunLoopDefaultMode, kCFRunLoopCommonModes] {
                SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, mode)
            }
            for mode: CFRunLoopMode in [kCFRunLoopDefaultMode, kCFRunLoopCommonModes] {
                SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, mode)
            }
        }
        thread.settle()
        #expect(seen == nil)
        thread.stop()
    }

    @Test("Never scheduled, a target ends with its owner")
    func unscheduled() {
        weak var seen: SCNetworkReachability?
        do {
            let target = makeTarget()
            seen = target
            #expect(seen != nil)
        }
        #expect(seen == nil)
        #expect(counts.now == .init(retains: 1, releases: 1))
    }

    @Test("A scheduling that failed leaves nothing behind")
    func failed() throws {
        let broken = SharedPathEngine { _, _ throws(PathEngineError) in
            throw PathEngineError(code: .eventsUnavailable, message: "no events")
        }
        let thread = RunLoopThread()
        weak var seen: SCNetworkReachability?
        do {
            let target = SCNetworkReachability(PathRequest(.defaultPath()), hub: broken)
            #expect(!SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
            #expect(SCError() == kSCStatusFailed)
            #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
            seen = target
        }
        #expect(seen == nil)
        thread.stop()
    }
}
