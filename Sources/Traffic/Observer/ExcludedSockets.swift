// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The cookies of sockets whose end is not counted, such as those of reachd's own probes. Bounded: the oldest is forgotten.
struct ExcludedSockets {
    private let capacity: Int
    private var cookies: Set<UInt64> = []
    private var order: [UInt64] = []
    private var next = 0

    /// - Parameter capacity: How many are remembered at most.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Remembers a cookie.
    mutating func insert(_ cookie: UInt64) {
        guard cookies.insert(cookie).inserted else { return }
        guard order.count == capacity else { return order.append(cookie) }
        cookies.remove(order[next])
        order[next] = cookie
        next = (next + 1) % capacity
    }

    /// Whether a cookie is remembered.
    func contains(_ cookie: UInt64) -> Bool { cookies.contains(cookie) }

    /// Forgets a cookie.
    ///
    /// - Returns: Whether it was remembered.
    mutating func remove(_ cookie: UInt64) -> Bool {
        !cookies.isEmpty && cookies.remove(cookie) != nil
    }
}
