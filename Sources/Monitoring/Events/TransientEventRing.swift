// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The last live events, for readers that are a moment behind.
struct TransientEventRing {
    /// Some seconds' worth on a busy machine.
    static let capacity = 4096

    private var ring: [TransientEvent] = []
    /// Where the oldest is.
    private var start = 0
    private(set) var head: UInt64 = 0
    /// How many read each probe's result; while there are none, results are not kept.
    private var readers = 0

    var isRead: Bool { readers > 0 }

    var oldest: UInt64 { head - UInt64(ring.count) + 1 }

    mutating func append(_ event: TransientEvent) {
        if ring.count < Self.capacity {
            ring.append(event)
        } else {
            ring[start] = event
            start = (start + 1) % Self.capacity
        }
        head += 1
    }

    mutating func beginReading() { readers += 1 }

    /// Takes ``beginReading()`` back; after the last reader nothing is kept alive, and positions continue from where they were.
    mutating func endReading() {
        readers -= 1
        guard readers == 0 else { return }
        ring = []
        start = 0
    }

    func events(after position: UInt64, limit: Int) -> [TransientEvent] {
        let first = max(position + 1, oldest)
        guard first <= head else { return [] }
        return (first..<first + min(UInt64(limit), head - first + 1)).map {
            ring[(start + Int($0 - oldest)) % ring.count]
        }
    }
}

/// An event that is not stored: it has no sequence, and its content is in the records anyway.
package struct TransientEvent: Sendable {
    /// The content.
    package enum Content: Sendable {
        /// A probe ended: the record after it.
        case result(StatusRecord, ProbeReport)
        /// Probes began or ended to run.
        case activity(ActivityStatus)
    }

    /// The time of the event.
    package let at: Timestamp
    /// The content.
    package let content: Content
}

/// A run of live events.
package struct TransientSlice: Sendable {
    /// The events, oldest first.
    package let events: [TransientEvent]
    /// The place of the first of ``events``; larger by more than one than what was asked for when some were lost.
    package let first: UInt64

    /// Creates a slice.
    package init(events: [TransientEvent], first: UInt64) {
        self.events = events
        self.first = first
    }
}
