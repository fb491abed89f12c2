// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// The newest rendered batches, bounded by their bytes; the oldest are dropped first.
struct BatchCache {
    struct Key: Hashable {
        let view: UInt64
        /// The registry's; all ids in the batch are of one epoch.
        let epochRevision: UInt64
        let after: UInt64
    }

    /// Enough for the last chunks of every subscription of a busy server.
    static let maximumBytes = 4 << 20
    private static let entryCost = 128

    private var batches: [Key: EventBatch] = [:]
    private var order: [Key] = []
    private var first = 0
    private var bytes = 0

    subscript(key: Key) -> EventBatch? { batches[key] }

    mutating func insert(_ batch: EventBatch, for key: Key) {
        guard batches[key] == nil else { return }
        batches[key] = batch
        order.append(key)
        bytes += batch.bytes.count + Self.entryCost
        while bytes > Self.maximumBytes, first < order.count {
            if let old = batches.removeValue(forKey: order[first]) { bytes -= old.bytes.count + Self.entryCost }
            first += 1
        }
        if first > 256, first > order.count / 2 {
            order.removeFirst(first)
            first = 0
        }
    }
}

/// Events rendered for one subscription: from one position in the log to another.
struct EventBatch {
    /// Empty if the subscription includes none of the events between the positions.
    let bytes: [UInt8]
    /// The position after the batch.
    let next: UInt64
}

/// Transient events rendered for one subscription.
struct TransientBatch {
    /// Empty if the subscription includes none of them.
    let bytes: [UInt8]
    /// The position after the batch.
    let next: UInt64
    /// How many were lost before it.
    let missed: UInt64
}

/// A batch that is being read from a disk; all streams of one subscription at the same position share it.
final class StoredEventFetch: Sendable {
    let key: BatchCache.Key
    private let outcome = Mutex<EventRenderCache.Next?>(nil)

    init(key: BatchCache.Key) {
        self.key = key
    }

    /// The result; nil while it is being read.
    var result: EventRenderCache.Next? { outcome.withLock { $0 } }

    func complete(with next: EventRenderCache.Next) { outcome.withLock { $0 = next } }
}
