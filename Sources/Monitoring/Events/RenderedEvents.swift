// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// The newest events as everybody reads them, so that each is rendered once: for the log first, where there is one, and then for
/// receivers and streams. What is older is rendered again for whoever reads it.
final class RenderedEvents: Sendable {
    /// Enough for what the log is being given and what waits for it.
    static let maximumBytes = 8 << 20

    private struct Window {
        /// Of which numbering the events' numbers are.
        var numbering: UInt64 = 0
        /// Without a gap between them.
        var events: [RecordedEvent] = []
        /// What each takes in memory, estimated before it is rendered.
        var costs: [Int] = []
        /// Where those begin that are kept.
        var start = 0
        var bytes = 0

        var newest: UInt64 { start < events.count ? events[events.count - 1].sequence : 0 }

        /// Those with numbers between these, if there are any.
        func events(from first: UInt64, through last: UInt64) -> [RecordedEvent] {
            guard start < events.count else { return [] }
            let oldest = events[start].sequence
            guard first <= newest, last >= oldest else { return [] }
            // An array of its own: a slice would hold all of them, and have them copied when something is added.
            return Array(events[start + Int(max(first, oldest) - oldest)...start + Int(min(last, newest) - oldest)])
        }

        mutating func append(_ event: RecordedEvent, cost: Int) {
            guard event.sequence > newest else { return }
            if newest + 1 != event.sequence { self = Window(numbering: numbering) }
            events.append(event)
            costs.append(cost)
            bytes += cost
            while bytes > RenderedEvents.maximumBytes {
                bytes -= costs[start]
                start += 1
            }
            if start > 1_024, start > events.count / 2 {
                events.removeFirst(start)
                costs.removeFirst(start)
                start = 0
            }
        }
    }

    private let window = Mutex(Window())
    private let renderer = EventRenderer()

    /// A slice's events as everybody reads them. Any thread.
    func events(of slice: EventSlice<Event>) -> EventSlice<RecordedEvent> {
        guard let first = slice.events.first?.sequence, let last = slice.events.last?.sequence else {
            return slice.with([])
        }
        let kept = window.withLock { window in
            window.numbering == slice.numbering ? window.events(from: first, through: last) : []
        }
        guard kept.count < slice.events.count else { return slice.with(kept) }
        let begin = kept.first.map { Int($0.sequence - first) } ?? slice.events.count
        var events = slice.events[..<begin].map { RecordedEvent($0, renderer: renderer) }
        events += kept
        events += slice.events[events.count...].map { RecordedEvent($0, renderer: renderer) }
        keep(events, of: slice)
        return slice.with(events)
    }

    private func keep(_ events: [RecordedEvent], of slice: EventSlice<Event>) {
        window.withLock { window in
            if window.numbering < slice.numbering { window = Window(numbering: slice.numbering) }
            guard window.numbering == slice.numbering else { return }
            for (event, origin) in zip(events, slice.events) {
                window.append(event, cost: origin.cost + Self.renderedCost)
            }
        }
    }

    /// What the data of an event take, about, besides what is counted where it happened.
    private static let renderedCost = 1_024

    /// How many bytes the kept ones take, about.
    var bytes: Int { window.withLock { $0.bytes } }

    /// Forgets everything: the same numbers are other events' now.
    func forget() { window.withLock { $0 = Window(numbering: $0.numbering) } }
}

/// A run of events from the log: of ``RecordedEvent``, or of ``Event`` where the records matter.
package struct EventSlice<Entry: Sendable>: Sendable {
    /// The events, oldest first, without a gap between them.
    package let events: [Entry]
    /// The number of the oldest event that the log keeps; larger than asked for when events were lost.
    package let oldest: UInt64
    /// The number of the newest event.
    package let head: UInt64
    /// The run of the log at that moment: no event of the slice was ever seen under a later one only.
    package let epoch: String
    /// ``Registry/numbering`` at that moment: whoever has a position of another one must not go on with this.
    package let numbering: UInt64
    /// The events contain all that can be read up to this number, when that is beyond the last one: other programs may have written
    /// what cannot be read. 0 where each number has an event.
    package let through: UInt64

    /// Creates a slice.
    ///
    /// - Parameter through: 0 where each number has an event, so that the last one says it.
    package init(
        events: [Entry],
        oldest: UInt64,
        head: UInt64,
        epoch: String,
        numbering: UInt64,
        through: UInt64 = 0
    ) {
        self.events = events
        self.oldest = oldest
        self.head = head
        self.epoch = epoch
        self.numbering = numbering
        self.through = through
    }

    /// The same of a log that reaches further back.
    func keeping(since oldest: UInt64) -> EventSlice {
        EventSlice(events: events, oldest: min(oldest, self.oldest), head: head, epoch: epoch, numbering: numbering)
    }

    /// The same with other events.
    package func with<Other>(_ events: [Other]) -> EventSlice<Other> {
        EventSlice<Other>(
            events: events,
            oldest: oldest,
            head: head,
            epoch: epoch,
            numbering: numbering,
            through: through
        )
    }
}
