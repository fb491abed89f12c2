// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// One way of looking at the log; streams with equal queries share it, and what was rendered for it.
final class EventView: Sendable {
    let number: UInt64
    let query: EventQuery
    /// How many streams look this way.
    let streamCount = Atomic<Int>(1)

    init(number: UInt64, query: EventQuery) {
        self.number = number
        self.query = query
    }
}
