// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization
import SystemConfiguration
import TestSupport
import Testing

@Suite struct FlagsQueryTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine
    private let queue = DispatchQueue(label: "flags")

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
    }

    private func flags(of target: SCNetworkReachability) -> SCNetworkReachabilityFlags? {
        var flags = SCNetworkReachabilityFlags(rawValue: 0xffff_ffff)
        return unsafe SCNetworkReachabilityGetFlags(target, &flags) ? flags : nil
    }

    @Test("R52: an unscheduled target is evaluated at each query and not watched")
    func unscheduled() {
        let target = SCNetworkReachability(PathRequest(.name("example.org")), hub: hub)
        #expect(flags(of: target) == .reachable)
        engine.evaluation = NetworkPath(flags: [])
        #expect(flags(of: target) == [])
        #expect(engine.counts == ScriptedPathEngine.Counts(added: 0, removed: 0, evaluated: 2))
    }

    @Test("R52: a scheduled target returns its last flags, without an evaluation")
    func scheduled() {
        let target = SCNetworkReachability(PathRequest(.defaultPath()), hub: hub)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        let evaluated = engine.counts.evaluated
        engine.evaluation = NetworkPath(flags: [])
        #expect(flags(of: target) == .reachable)
        engine.emit([.reachable, .isDirect])
        #expect(flags(of: target) == [.reachable, .isDirect])
        #expect(engine.counts.evaluated == evaluated)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
        #expect(flags(of: target) == [])
    }

    @Test("R65: the top eight bits stay private")
    func masked() {
        engine.evaluation = NetworkPath(flags: SCNetworkReachabilityFlags(rawValue: 0xff04_0002))
        let target = SCNetworkReachability(PathRequest(.defaultPath()), hub: hub)
        #expect(flags(of: target)?.rawValue == 0x0004_0002)
        let log = CallLog()
        unsafe SCNetworkReachabilitySetCallback(target, log.callback, nil)
        SCNetworkReachabilitySetDispatchQueue(target, queue)
        engine.emit(SCNetworkReachabilityFlags(rawValue: 0x8000_0002))
        // Only a private bit differs from the call-out before: nobody is told.
        engine.emit(SCNetworkReachabilityFlags(rawValue: 0x0000_0002))
        queue.sync {}
        #expect(log.flags.map(\.rawValue) == [2])
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }

    @Test("A kernel that refuses to answer gives no flags and a status (linux-paths 4.2, row 6)")
    func refused() {
        engine.evaluation = NetworkPath(flags: [], unsatisfiedReason: .kernelRefused)
        let target = SCNetworkReachability(PathRequest(.defaultPath()), hub: hub)
        #expect(flags(of: target) == nil)
        #expect(SCError() == kSCStatusReachabilityUnknown)
    }

    @Test("An engine that cannot start is reported, and tried again")
    func noEngine() throws {
        let isBroken = Mutex(true)
        let hub = SharedPathEngine { _, observer throws(PathEngineError) in
            guard !isBroken.withLock({ $0 }) else {
                throw PathEngineError(code: .netlinkRefused, message: "AF_NETLINK is refused")
            }
            return ScriptedPathEngine(observer: observer)
        }
        let target = SCNetworkReachability(PathRequest(.defaultPath()), hub: hub)
        #expect(flags(of: target) == nil)
        #expect(SCError() == kSCStatusReachabilityUnknown)
        #expect(!SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(SCError() == kSCStatusFailed)
        isBroken.withLock { $0 = false }
        #expect(flags(of: target) == .reachable)
        #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
        #expect(SCError() == kSCStatusOK)
        SCNetworkReachabilitySetDispatchQueue(target, nil)
    }
}
