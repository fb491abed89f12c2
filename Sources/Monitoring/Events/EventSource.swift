// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A numbered log of events that streams and receivers read: a node's own, which is ``Registry``, or a fleet's.
///
/// All members may be used on any thread. Only ``events(after:limit:)`` may wait for a disk or a network.
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

    /// Returns events of the log, also those that are not in memory; may wait.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last event that the reader knows.
    ///   - limit: The maximum number of events.
    func events(after sequence: UInt64, limit: Int) -> EventSlice<RecordedEvent>

    /// Returns the same without waiting; nil when memory does not have the events that follow.
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
}

extension Registry: EventSource {}
