// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A batch that is being read from a disk; all streams that look the same way at the same place wait for one.
final class EventRecall: Sendable {
    let key: BatchCache.Key
    private let outcome = Mutex<EventFeed.Next?>(nil)

    init(key: BatchCache.Key) {
        self.key = key
    }

    /// What it came to; nil while it is being read.
    var result: EventFeed.Next? { outcome.withLock { $0 } }

    func complete(with next: EventFeed.Next) { outcome.withLock { $0 = next } }
}
