// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import Foundation
import Synchronization
import SystemConfiguration

/// A thread whose run loop runs until ``stop()``.
final class RunLoopThread: Sendable {
    private struct Parts: @unchecked Sendable {
        // Run loops may be used from any thread; the type does not say it.
        var loop: CFRunLoop?
    }

    private let parts = Mutex(Parts())
    private let ended = DispatchSemaphore(value: 0)

    init() {
        let ready = DispatchSemaphore(value: 0)
        let thread = Foundation.Thread { [self] in
            let loop = CFRunLoopGetCurrent()
            // A source that never fires keeps the loop from ending for lack of work, in the modes used here.
            var context = unsafe CFRunLoopSourceContext()
            unsafe context.perform = { _ in }
            let idle = unsafe CFRunLoopSourceCreate(nil, 0, &context)
            CFRunLoopAddSource(loop, idle, kCFRunLoopDefaultMode)
            let held = Parts(loop: loop)
            parts.withLock { $0 = held }
            ready.signal()
            CFRunLoopRun()
            CFRunLoopRemoveSource(loop, idle, kCFRunLoopDefaultMode)
            ended.signal()
        }
        thread.start()
        ready.wait()
    }

    var loop: CFRunLoop { parts.withLock { $0 }.loop ?? CFRunLoopGetMain() }

    /// Runs a block on the loop without waiting for it.
    func begin(_ body: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(loop, kCFRunLoopCommonModes, body)
        CFRunLoopWakeUp(loop)
    }

    /// Runs a block on the loop and waits for it.
    func perform(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        begin {
            body()
            done.signal()
        }
        done.wait()
    }

    /// Returns when all that was signalled before has been performed: sources come after blocks in a turn, so two
    /// turns are needed.
    func settle() {
        for _ in 0..<3 { perform {} }
    }

    /// Holds the loop until the returned semaphore is signalled.
    func hold() -> DispatchSemaphore {
        let held = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        begin {
            held.signal()
            release.wait()
        }
        held.wait()
        return release
    }

    func stop() {
        begin { CFRunLoopStop(CFRunLoopGetCurrent()) }
        ended.wait()
    }
}
