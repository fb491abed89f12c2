// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// How many changes there may be: so many a second on average, and ten seconds' worth at once.
final class WriteBudget: Sendable {
    private static let burst: UInt64 = 10

    private struct State {
        var perSecond: UInt64?
        /// When the budget would be full; the farther ahead, the less is left.
        var fullAt: UInt64 = 0
    }

    private let time: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// - Parameter time: nanoseconds that never go back.
    init(time: @escaping @Sendable () -> UInt64) {
        self.time = time
    }

    /// - Parameter perSecond: nil: any number.
    func apply(perSecond: Int?) {
        state.withLock { $0.perSecond = perSecond.map { UInt64(max(1, $0)) } }
    }

    /// Takes one; otherwise says in how many seconds there is one again.
    func spend() -> Int? {
        let now = time()
        return state.withLock { state in
            guard let perSecond = state.perSecond else { return nil }
            let price = 1_000_000_000 / perSecond
            let full = max(state.fullAt, now) + price
            let ahead = full - now
            let allowed = Self.burst * 1_000_000_000
            guard ahead <= allowed else { return Int((ahead - allowed) / 1_000_000_000) + 1 }
            state.fullAt = full
            return nil
        }
    }
}
