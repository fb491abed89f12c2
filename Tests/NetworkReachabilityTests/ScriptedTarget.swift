// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Dispatch
import KeyValueObserving
import Synchronization
import SystemConfiguration

@testable import NetworkReachability

/// A target whose flags a test decides, and that keeps what the manager asked of it.
final class ScriptedTarget: ReachabilityTarget {
    enum Call: Sendable, Equatable { case query, handler, schedule, unschedule }

    private struct State {
        var flags: SCNetworkReachabilityFlags?
        var handler: (@Sendable (SCNetworkReachabilityFlags) -> Void)?
        var queue: DispatchQueue?
        var calls: [Call] = []
        var duringQuery: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(flags: SCNetworkReachabilityFlags? = .reachable) {
        state = Mutex(State(flags: flags))
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var isScheduled: Bool { state.withLock { $0.queue != nil } }

    /// Changes what a query answers, and tells nobody.
    func set(_ flags: SCNetworkReachabilityFlags?) { state.withLock { $0.flags = flags } }

    /// Runs inside the next query, after its answer was taken.
    func duringNextQuery(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.duringQuery = action } }

    /// Queues a call with these flags; what a query answers changes with it.
    ///
    /// The call is made even if the target is unscheduled meanwhile: the manager's own barrier is under test.
    func emit(_ flags: SCNetworkReachabilityFlags) {
        set(flags)
        repeatLate(flags)
    }

    /// Queues a call with flags that are no longer what a query answers.
    func repeatLate(_ flags: SCNetworkReachabilityFlags) {
        let (queue, handler) = state.withLock { ($0.queue, $0.handler) }
        guard let queue, let handler else { return }
        queue.async { handler(flags) }
    }

    func currentFlags() -> SCNetworkReachabilityFlags? {
        let (flags, action) = state.withLock { state in
            state.calls.append(.query)
            defer { state.duringQuery = nil }
            return (state.flags, state.duringQuery)
        }
        action?()
        return flags
    }

    func setHandler(_ handler: @escaping @Sendable (SCNetworkReachabilityFlags) -> Void) {
        state.withLock { state in
            state.calls.append(.handler)
            state.handler = handler
        }
    }

    func schedule(on queue: DispatchQueue) {
        state.withLock { state in
            state.calls.append(.schedule)
            state.queue = queue
        }
    }

    func unschedule() {
        state.withLock { state in
            state.calls.append(.unschedule)
            state.queue = nil
        }
    }
}
