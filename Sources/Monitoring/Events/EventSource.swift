// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A numbered log of events that streams and receivers read: a node's own, which is ``Registry``, or a fleet's.
///
/// All members may be used on any thread and do not wait.
package protocol EventSource: AnyObject, Sendable {
    /// The run of the log: changes when events were lost.
    var epoch: String { get }

    /// Changes whenever ``epoch`` does; use it to invalidate caches.
    var epochRevision: UInt64 { get }

    /// The id of the newest event: ``epoch`` and ``sequence`` of one moment.
    var position: EventID { get }

    /// The number of the newest event that readers may see.
    var sequence: UInt64 { get }

    /// How far the numbers of this run's events were moved in all. Positions of another numbering are of another log.
    var numbering: UInt64 { get }

    /// The place after which the next transient event will be.
    var livePosition: UInt64 { get }

    /// The epoch, and the numbers of the oldest and the newest event that readers may see, of one moment.
    var extent: LogExtent { get }

    /// Returns events of the log; nil when memory does not have those that follow.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last event that the reader knows.
    ///   - limit: The maximum number of events.
    func heldEvents(after sequence: UInt64, limit: Int) -> EventSlice<RecordedEvent>?

    /// Returns transient events after a place; they are kept for a moment only.
    func liveEvents(after position: UInt64, limit: Int) -> TransientSlice

    /// Registers a reader of each probe's result, until ``endReadingResults()``.
    func beginReadingResults()

    /// Ends what ``beginReadingResults()`` began.
    func endReadingResults()

    /// Adds a closure that is called after new events, on the thread that made them; it must not block.
    ///
    /// Listeners cannot be removed; they live as long as the source.
    func onEvents(_ listener: @escaping @Sendable () -> Void)

    /// Registers a reader until ``endFollowing()``; another node's log is only read while it has readers.
    ///
    /// - Returns: A ticket for ``isCurrent(since:)``.
    func beginFollowing() -> UInt64

    /// Ends what ``beginFollowing()`` began.
    func endFollowing()

    /// Whether ``extent`` is at least as new as the call of ``beginFollowing()`` that returned the ticket.
    func isCurrent(since ticket: UInt64) -> Bool
}

/// An event source on a disk of this machine, whose earlier events may be awaited.
package protocol BlockingEventSource: EventSource {
    /// Returns events of the log, also those that are not in memory; may wait for a disk.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last event that the reader knows.
    ///   - limit: The maximum number of events.
    func events(after sequence: UInt64, limit: Int) -> EventSlice<RecordedEvent>
}

/// The part of a log that readers may see.
package struct LogExtent: Sendable, Hashable {
    /// The run of the log.
    package let epoch: String
    /// The number of the oldest event that is kept; one more than ``newest`` when there is none.
    package let oldest: UInt64
    /// The number of the newest event.
    package let newest: UInt64

    /// Creates an extent.
    package init(epoch: String, oldest: UInt64, newest: UInt64) {
        (self.epoch, self.oldest, self.newest) = (epoch, oldest, newest)
    }
}

extension Registry: BlockingEventSource {
    package var extent: LogExtent {
        let slice = events(after: .max - 1, limit: 0)
        return LogExtent(epoch: slice.epoch, oldest: slice.oldest, newest: slice.head)
    }

    package func beginFollowing() -> UInt64 { 0 }

    package func endFollowing() {}

    package func isCurrent(since ticket: UInt64) -> Bool { true }
}
