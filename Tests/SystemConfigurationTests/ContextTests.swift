// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization
import SystemConfiguration
import TestSupport
import Testing

@Suite struct ContextTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine
    private let queue = DispatchQueue(label: "context")
    private let counts = ContextCounts()

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
    }

    private func makeTarget() -> SCNetworkReachability {
        SCNetworkReachability(PathRequest(.defaultPath()), hub: hub)
    }

    @Test("R64: the context is retained when set and released at once when replaced")
    func replaced() {
        let target = makeTarget()
        var context = unsafe counts.context
        #expect(unsafe SCNetworkReachabilitySetCallback(target, { _, _, _ in }, &context))
        #expect(counts.now == .init(retains: 1, releases: 0))
        let next = ContextCounts()
        var nextContext = unsafe next.context
        #expect(unsafe SCNetworkReachabilitySetCallback(target, { _, _, _ in }, &nextContext))
        #expect(counts.now == .init(retains: 1, releases: 1))
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(next.now == .init(retains: 1, releases: 1))
    }

    @Test("R64: setting the same context again balances")
    func sameAgain() {
        let target = makeTarget()
        var context = unsafe counts.context
        for _ in 0..<3 { unsafe SCNetworkReachabilitySetCallback(target, { _, _, _ in }, &context) }
        #expect(counts.now == .init(retains: 3, releases: 2))
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(counts.now == .init(retains: 3, releases: 3))
    }

    @Test("The target's end releases the context")
    func targetEnds() {
        do {
            let target = makeTarget()
            var context = unsafe counts.context
            unsafe SCNetworkReachabilitySetCallback(target, { _, _, _ in }, &context)
        }
        #expect(counts.now == .init(retains: 1, releases: 1))
    }

    @Test("R60: the context is retained around each call-out, and info is handed over")
    func aroundCalls() {
        let log = CallLog()
        let target = makeTarget()
        var context = unsafe counts.context
        let seen = Mutex<[ContextCounts.Values]>([])
        unsafe SCNetworkReachabilitySetCallback(
            target,
            { _, flags, info in
                log.record(flags, UInt(bitPattern: info))
                guard let info = unsafe info else { return }
                let now = unsafe ContextCounts.at(info).now
                seen.withLock { $0.append(now) }
            },
            &context
        )
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        engine.emit([])
        engine.emit(.reachable)
        queue.sync {}
        #expect(seen.withLock { $0 } == [.init(retains: 2, releases: 0), .init(retains: 3, releases: 1)])
        #expect(counts.now == .init(retains: 3, releases: 2))
        #expect(log.all.map(\.info) == Array(repeating: unsafe UInt(bitPattern: context.info), count: 2))
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("R64: replaced from inside its call-out, the context is released at once and lives to the call's end")
    func replacedFromInside() {
        let target = makeTarget()
        var context = unsafe counts.context
        let seen = Mutex<ContextCounts.Values?>(nil)
        unsafe SCNetworkReachabilitySetCallback(
            target,
            { target, _, info in
                SCNetworkReachabilitySetCallback(target, nil, nil)
                guard let info = unsafe info else { return }
                let now = unsafe ContextCounts.at(info).now
                seen.withLock { $0 = now }
            },
            &context
        )
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        engine.emit([])
        queue.sync {}
        #expect(seen.withLock { $0 } == .init(retains: 2, releases: 1))
        #expect(counts.now == .init(retains: 2, releases: 2))
        engine.emit(.reachable)
        queue.sync {}
        #expect(counts.now == .init(retains: 2, releases: 2))
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("Without retain the context is handed over once and released once")
    func onlyRelease() {
        let target = makeTarget()
        var context = unsafe counts.context
        unsafe context.retain = nil
        let log = CallLog()
        unsafe SCNetworkReachabilitySetCallback(target, log.callback, &context)
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        engine.emit([])
        queue.sync {}
        #expect(log.flags == [[]])
        #expect(counts.now == .init(retains: 0, releases: 0))
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(counts.now == .init(retains: 0, releases: 1))
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("Without info neither function is called")
    func noInfo() {
        let target = makeTarget()
        var context = unsafe counts.context
        unsafe context.info = nil
        unsafe SCNetworkReachabilitySetCallback(target, { _, _, info in #expect(unsafe info == nil) }, &context)
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        engine.emit([])
        queue.sync {}
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(counts.now == .init())
    }

    @Test("R23, R64: a callback set while scheduled is called for the next change, and setting it calls none")
    func setLate() {
        let target = makeTarget()
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        engine.emit([])
        queue.sync {}
        let log = CallLog()
        unsafe SCNetworkReachabilitySetCallback(target, log.callback, nil)
        queue.sync {}
        #expect(log.flags.isEmpty)
        engine.emit(.reachable)
        queue.sync {}
        #expect(log.flags == [.reachable])
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("The client's copyDescription is part of the target's description")
    func description() {
        let target = makeTarget()
        var context = unsafe counts.context
        unsafe SCNetworkReachabilitySetCallback(target, nil, &context)
        #expect("\(target)".contains("context = kCFRunLoopDefaultMode"))
        #expect(counts.now.descriptions == 1)
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        #expect("\(target)".contains("flags = -R"))
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("Retains and releases balance when callbacks are replaced while call-outs run")
    func raceBalances() {
        let target = makeTarget()
        let counts = counts
        let engine = engine
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        DispatchQueue.concurrentPerform(iterations: 400) { round in
            if round.isMultiple(of: 2) {
                var context = unsafe counts.context
                unsafe SCNetworkReachabilitySetCallback(target, { _, _, _ in }, &context)
            } else {
                engine.emit(round % 4 == 1 ? [] : .reachable)
            }
        }
        queue.sync {}
        SCNetworkReachabilitySetDispatchQueue(target, nil)
        SCNetworkReachabilitySetCallback(target, nil, nil)
        #expect(counts.now.retains == counts.now.releases)
        #expect(counts.now.retains >= 200)
    }
}
