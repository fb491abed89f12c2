// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What only the loop's own thread touches: handlers and timers.
///
/// Unchecked because the confinement to one thread is the loop's rule, not something a type can say.
final class ThreadConfined: @unchecked Sendable {
    var handlers: [UInt64: (EventLoop.Events) -> Void] = [:]
    /// Which watch a descriptor's registration with epoll belongs to.
    var watchers: [Int32: UInt64] = [:]
    var timers = TimerQueue()
    private(set) var lastToken: UInt64 = 0

    func nextToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    /// Drops what is left, so that objects that hold the loop and are held by it can go.
    func loopEnds() {
        let leftHandlers = handlers
        let leftTimers = timers
        handlers = [:]
        watchers = [:]
        timers = TimerQueue()
        // They go only now that nothing here is being changed: they may unwatch and cancel on their way out.
        withExtendedLifetime((leftHandlers, leftTimers)) {}
    }
}
