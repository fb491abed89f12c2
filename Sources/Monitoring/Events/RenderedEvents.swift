// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// The newest events as they were rendered, so that each is rendered once: for the log first, where there is one, and then for
/// receivers and streams. Bounded by bytes; what is older is rendered again for whoever reads it.
final class RenderedEvents: Sendable {
    /// Enough for what the log is being given and what waits for it.
    static let maximumBytes = 8 << 20

    private struct Window {
        /// Of which numbering the events' numbers are.
        var numbering: UInt64 = 0
        /// Without a gap between them.
        var events: [RecordedEvent] = []
        /// Where those begin that are kept.
        var start = 0
        var bytes = 0

        var kept: ArraySlice<RecordedEvent> { events[start...] }

        /// Those with numbers between these, if there are any.
        func events(from first: UInt64, through last: UInt64) -> ArraySlice<RecordedEvent> {
            guard let oldest = kept.first?.sequence, let newest = kept.last?.sequence, first <= newest, last >= oldest
            else { return [] }
            let begin = start + Int(max(first, oldest) - oldest)
            return events[begin...(start + Int(min(last, newest) - oldest))]
        }

        mutating func append(_ new: ArraySlice<RecordedEvent>) {
            guard let first = new.first else { return }
            if let last = kept.last?.sequence, last + 1 != first.sequence { self = Window(numbering: numbering) }
            events += new
            bytes += new.reduce(0) { $0 + $1.cost }
            while bytes > RenderedEvents.maximumBytes, start < events.count {
                bytes -= events[start].cost
                start += 1
            }
            if start > 1_024, start > events.count / 2 {
                events.removeFirst(start)
                start = 0
            }
        }
    }

    private let window = Mutex(Window())

    /// A slice's events, rendered. Any thread; those that are not kept are rendered on this one.
    func events(of slice: EventSlice<Event>) -> EventSlice<RecordedEvent> {
        guard let first = slice.events.first?.sequence, let last = slice.events.last?.sequence else {
            return slice.with([])
        }
        let kept = window.withLock { window in
            window.numbering == slice.numbering ? window.events(from: first, through: last) : []
        }
        var renderer = EventRenderer()
        let begin = kept.first.map { Int($0.sequence - first) } ?? slice.events.count
        var events = slice.events[..<begin].map { renderer.recorded($0) }
        events += kept
        events += slice.events[events.count...].map { renderer.recorded($0) }
        keep(events, numbering: slice.numbering)
        return slice.with(events)
    }

    private func keep(_ events: [RecordedEvent], numbering: UInt64) {
        window.withLock { window in
            if window.numbering < numbering { window = Window(numbering: numbering) }
            guard window.numbering == numbering else { return }
            let newest = window.kept.last?.sequence ?? 0
            window.append(events.drop { $0.sequence <= newest })
        }
    }

    /// How many bytes the kept ones take, about.
    var bytes: Int { window.withLock { $0.bytes } }

    /// Forgets everything: the same numbers are other events' now.
    func forget() { window.withLock { $0 = Window(numbering: $0.numbering) } }
}
