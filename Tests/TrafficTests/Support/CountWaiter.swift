// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

@testable import Traffic

/// Lets a thread wait until an observer has counted so many connections.
final class CountWaiter: Sendable {
    private struct State {
        var observer: TrafficObserver?
        var wanted: UInt64?
    }

    private let state = Mutex(State())
    private let semaphore = Semaphore()

    /// Sets the observer, which calls ``check()`` after each batch.
    func attach(_ observer: TrafficObserver) {
        state.withLock { $0.observer = observer }
    }

    /// Releases the waiting thread when the count is reached.
    func check() {
        guard let observer = state.withLock({ $0.observer }) else { return }
        let count = observer.statistics.connections
        let isReached = state.withLock { state in
            guard let wanted = state.wanted, count >= wanted else { return false }
            state.wanted = nil
            return true
        }
        if isReached { semaphore.post() }
    }

    /// Waits; false when the count was not reached in ten minutes.
    func wait(for count: Int) -> Bool {
        state.withLock { $0.wanted = UInt64(count) }
        check()
        return semaphore.wait(within: .seconds(600))
    }
}
