// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The last live events, for readers that are a moment behind.
struct LiveLog {
    /// Some seconds' worth on a busy machine.
    static let capacity = 4096

    private var ring: [LiveEvent] = []
    private(set) var head: UInt64 = 0

    var oldest: UInt64 { head - UInt64(ring.count) + 1 }

    mutating func append(_ event: LiveEvent) {
        if ring.count < Self.capacity {
            ring.append(event)
        } else {
            ring[Int(head % UInt64(Self.capacity))] = event
        }
        head += 1
    }

    func events(after position: UInt64, limit: Int) -> [LiveEvent] {
        let first = max(position + 1, oldest)
        guard first <= head else { return [] }
        return (first..<first + min(UInt64(limit), head - first + 1)).map {
            ring[Int(($0 - 1) % UInt64(Self.capacity))]
        }
    }
}
