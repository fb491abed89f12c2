// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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

    /// The same of a log that reaches further back.
    func keeping(since oldest: UInt64) -> EventSlice {
        EventSlice(events: events, oldest: min(oldest, self.oldest), head: head, epoch: epoch, numbering: numbering)
    }

    /// The same with other events.
    func with<Other>(_ events: [Other]) -> EventSlice<Other> {
        EventSlice<Other>(events: events, oldest: oldest, head: head, epoch: epoch, numbering: numbering)
    }
}
