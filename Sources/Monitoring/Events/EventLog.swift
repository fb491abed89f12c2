// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The newest events, numbered without a gap, in a ring that is bounded by count and by estimated bytes.
///
/// A value without a lock: the registry keeps it beside the state whose history it is.
struct EventLog {
    private let settings: EventLogSettings
    private var ring: [Event] = []
    private var start = 0
    private var bytes = 0
    /// The number of the newest event; 0 before the first one.
    private(set) var head: UInt64 = 0
    private(set) var count = 0
    /// What is newer stays, whatever the bounds say: whoever writes it down has not done so yet, and gives up before there are too
    /// many. Nil when nobody does.
    var safeHead: UInt64?

    init(settings: EventLogSettings) {
        self.settings = settings
    }

    /// The number of the oldest event that is kept; one more than ``head`` when none is.
    var oldest: UInt64 { head - UInt64(count) + 1 }

    /// Adds an event and forgets as many of the oldest as the bounds demand, the new one never.
    mutating func append(_ content: Event.Content, at moment: Timestamp) {
        head += 1
        let event = Event(sequence: head, at: moment, content: content)
        bytes += event.cost
        let capacity = max(settings.capacity, 1)
        while count > 0, count >= capacity || bytes > settings.maximumBytes, oldest <= safeHead ?? .max { dropOldest() }
        if count < ring.count {
            ring[(start + count) % ring.count] = event
        } else {
            straighten()
            ring.append(event)
        }
        count += 1
    }

    /// Forgets everything and goes on behind a number.
    mutating func restart(after sequence: UInt64) {
        self = EventLog(settings: settings)
        head = sequence
    }

    /// Gives each event a number that is larger by this, as if so many had been before it.
    mutating func move(by distance: UInt64) {
        head += distance
        for index in ring.indices { ring[index] = ring[index].moved(by: distance) }
    }

    /// At most `limit` events that follow `sequence`, oldest first; starts at ``oldest`` when `sequence` is older.
    func events(after sequence: UInt64, limit: Int) -> [Event] {
        guard sequence < head else { return [] }
        let first = max(sequence + 1, oldest)
        let offset = Int(first - oldest)
        return (offset..<offset + min(limit, count - offset)).map { ring[(start + $0) % ring.count] }
    }

    private mutating func dropOldest() {
        bytes -= ring[start].cost
        // What the ring no longer counts must not keep its records alive.
        ring[start] = Event(sequence: 0, at: ring[start].at, content: .config(.reloaded(targets: TargetChanges())))
        start = (start + 1) % ring.count
        count -= 1
    }

    /// Before the ring grows its oldest event must stand first.
    private mutating func straighten() {
        guard start > 0 else { return }
        ring = Array(ring[start...] + ring[..<start])
        start = 0
    }
}

/// Where events are read from that the registry does not hold in memory any more.
package protocol EventArchive: Sendable {
    /// The number of the oldest event that is kept. Any thread; no look at the disk.
    var oldest: UInt64 { get }

    /// At most `limit` events that follow a number, oldest first. The first may be later than the next one when some are
    /// missing, and between them none is. Empty also when it could not be read. Any thread; may wait for the disk.
    func events(after sequence: UInt64, limit: Int) -> [RecordedEvent]
}

/// How much the in-memory event log keeps.
package struct EventLogSettings: Sendable, Hashable {
    /// Events kept at most.
    package var capacity: Int = 65_536
    /// Bytes of memory that the kept events may take at most, estimated.
    package var maximumBytes: Int = 64 << 20

    /// The defaults.
    package init() {}
}
