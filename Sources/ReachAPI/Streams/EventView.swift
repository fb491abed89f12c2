// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// One way of looking at the log; streams with equal queries share it, and what was rendered for it.
final class EventView: Sendable {
    let number: UInt64
    let query: EventQuery
    /// How many streams look this way.
    let streamCount = Atomic<Int>(1)
    /// What goes on, as it was rendered last: streams are woken one after the other and ask the same.
    let lastLive = Mutex<(place: UInt64, batch: LiveBatch)?>(nil)

    init(number: UInt64, query: EventQuery) {
        self.number = number
        self.query = query
    }
}
