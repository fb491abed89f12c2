// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Foundation
import SystemConfiguration
import TestSupport
import Testing

@Suite struct RunLoopDeliveryTests {
    private let hub: SharedPathEngine
    private let engine: ScriptedPathEngine
    private let thread = RunLoopThread()
    private let log = CallLog()

    init() throws {
        (hub, engine) = try ScriptedPathEngine.makeHub()
    }

    private func makeTarget(_ target: PathTarget = .defaultPath()) -> SCNetworkReachability {
        let target = SCNetworkReachability(PathRequest(target), hub: hub)
        unsafe SCNetworkReachabilitySetCallback(target, log.callback, nil)
        return target
    }

    @Test("R61: a change is delivered on the run loop's thread")
    func delivers() {
        let target = makeTarget()
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, CFRunLoopMode.commonModes.rawValue))
        engine.emit([])
        log.wait()
        #expect(log.flags == [[]])
        #expect(log.all.first?.isMainThread == false)
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, CFRunLoopMode.commonModes.rawValue))
        thread.stop()
    }

    @Test("R56: a name is guaranteed one call-out on a run loop too")
    func name() {
        let target = makeTarget(.name("example.org"))
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        engine.emit(.reachable)
        log.wait()
        #expect(log.flags == [.reachable])
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        thread.stop()
    }

    @Test("R61: several changes before a turn are one call-out with the state at that moment")
    func coalesces() {
        let target = makeTarget()
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        let release = thread.hold()
        for flags: SCNetworkReachabilityFlags in [[], .reachable, [], [.reachable, .isDirect]] { engine.emit(flags) }
        release.signal()
        log.wait()
        thread.settle()
        #expect(log.flags == [[.reachable, .isDirect]])
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        thread.stop()
    }

    @Test("R61: a flap shorter than a turn is one call-out with unchanged flags")
    func flap() {
        let target = makeTarget()
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        let release = thread.hold()
        engine.emit([])
        engine.emit(.reachable)
        release.signal()
        log.wait()
        thread.settle()
        #expect(log.flags == [.reachable])
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        thread.stop()
    }

    @Test("R60: a signalled call-out is dropped once the target is unscheduled")
    func recheck() {
        let target = makeTarget()
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        let release = thread.hold()
        engine.emit([])
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        release.signal()
        thread.settle()
        #expect(log.flags.isEmpty)
        thread.stop()
    }

    @Test("R62: several run loops and modes; one of them delivers each change")
    func severalLoops() {
        let other = RunLoopThread()
        let target = makeTarget()
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, other.loop, kCFRunLoopDefaultMode))
        #expect(engine.counts.added == 1)
        engine.emit([])
        log.wait()
        thread.settle()
        other.settle()
        #expect(log.flags == [[]])
        // With one loop gone, the other goes on telling.
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
        thread.stop()
        engine.emit(.reachable)
        log.wait()
        #expect(log.flags == [[], .reachable])
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, other.loop, kCFRunLoopDefaultMode))
        #expect(engine.counts.removed == 1)
        other.stop()
    }

    @Test("R62: the same loop and mode twice must be unscheduled twice")
    func counted() {
        let target = makeTarget()
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, kCFRunLoopDefaultMode)
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
        engine.emit([])
        log.wait()
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopDefaultMode))
        thread.stop()
    }

    @Test("R62: a mode that does not run delivers nothing until it does")
    func otherMode() {
        let mode = "reachability only" as CFString
        let name = RunLoop.Mode("reachability only")
        let target = makeTarget()
        SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, mode)
        engine.emit([])
        thread.settle()
        #expect(log.flags.isEmpty)
        thread.perform { _ = RunLoop.current.run(mode: name, before: .distantFuture) }
        log.wait()
        #expect(log.flags == [[]])
        SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, mode)
        thread.stop()
    }

    @Test("R62: the common modes by a string are those of the constant, which Core Foundation knows by its address")
    func commonModesByName() {
        let target = makeTarget()
        let modes = CFRunLoopMode.commonModes.rawValue
        #expect(modes == "\(kCFRunLoopCommonModes as CFRunLoopMode)" as CFString)
        #expect(SCNetworkReachabilityScheduleWithRunLoop(target, thread.loop, modes))
        engine.emit([])
        // The loop runs in its default mode, one of the common ones.
        log.wait()
        #expect(log.flags == [[]])
        #expect(SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, kCFRunLoopCommonModes))
        #expect(!SCNetworkReachabilityUnscheduleFromRunLoop(target, thread.loop, modes))
        thread.stop()
    }
}
