// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import Synchronization

/// Renders the log for all streams: once for each subscription and position, whatever the number of streams.
final class EventRenderCache: Sendable {
    enum Next: Sendable {
        case batch(EventBatch)
        /// The end of the log.
        case nothing
        /// The events are being read from a disk; the streams are woken afterwards.
        case later
        /// Events after the position are no longer kept; the oldest kept one has this number.
        case lost(oldest: UInt64)
    }

    /// Events read from the log at once, and the size at which a batch ends.
    private static let maximumEvents = 256
    private static let maximumBytes = 64 << 10
    /// The maximum number of pending reads from the disk.
    private static let maximumRecalls = 1_024

    /// Reads events that are not in memory: from a disk, or a fleet's database, unless no client waits for them any more. The
    /// completion is called once, on any thread; with nil when they are not wanted, or cannot be read now.
    typealias Recall =
        @Sendable (
            _ sequence: UInt64,
            _ limit: Int,
            _ isWanted: @escaping @Sendable () -> Bool,
            _ completion: @escaping @Sendable (EventSlice<RecordedEvent>?) -> Void
        ) -> Void

    let source: any EventSource
    let snapshots: any SnapshotSource
    private let cache = Mutex(BatchCache())
    private let views = Mutex(Views())
    private let recalls = Mutex<[BatchCache.Key: StoredEventFetch]>([:])
    private let recall: Recall
    private let incidents: Registry?
    private let wakeStreams: @Sendable () -> Void

    private struct Views {
        var byQuery: [EventQuery: EventSubscription] = [:]
        var lastNumber: UInt64 = 0
    }

    /// - Parameters:
    ///   - source: the log.
    ///   - snapshots: the targets.
    ///   - recall: reads events that are not in memory.
    ///   - incidents: has the log's incidents with their targets; nil where nothing has.
    ///   - wakeStreams: wakes the streams that wait for such a read.
    init(
        source: any EventSource,
        snapshots: any SnapshotSource,
        recall: @escaping Recall,
        incidents: Registry? = nil,
        wakeStreams: @escaping @Sendable () -> Void
    ) {
        self.source = source
        self.snapshots = snapshots
        self.recall = recall
        self.incidents = incidents
        self.wakeStreams = wakeStreams
    }

    /// The number of open streams.
    var streamCount: Int {
        views.withLock { $0.byQuery.values.reduce(0) { $0 + Int($1.streamCount.load(ordering: .relaxed)) } }
    }

    func open(_ query: EventQuery) -> EventSubscription {
        if query.includesResults { source.beginReadingResults() }
        return view(of: query)
    }

    private func view(of query: EventQuery) -> EventSubscription {
        views.withLock { views in
            if let view = views.byQuery[query] {
                view.streamCount.add(1, ordering: .relaxed)
                return view
            }
            views.lastNumber += 1
            let view = EventSubscription(
                number: views.lastNumber,
                query: query,
                incidents: IncidentFilter(query.filter, registry: incidents)
            )
            views.byQuery[query] = view
            return view
        }
    }

    func close(_ view: EventSubscription) {
        if view.query.includesResults { source.endReadingResults() }
        views.withLock { views in
            if view.streamCount.subtract(1, ordering: .relaxed).newValue == 0 { views.byQuery[view.query] = nil }
        }
    }

    /// The transient events after a position, for a subscription: results and activity.
    func live(after place: UInt64, view: EventSubscription) -> TransientBatch? {
        guard view.query.includesResults || view.query.wantsActivity, source.livePosition > place else { return nil }
        if let last = view.lastLive.withLock({ $0 }), last.place == place { return last.batch }
        let slice = source.liveEvents(after: place, limit: Self.maximumEvents)
        var writer = JSONWriter()
        var next = slice.first - 1
        for event in slice.events {
            writer.live(event, query: view.query)
            next += 1
            if writer.bytes.count >= Self.maximumBytes { break }
        }
        let batch = TransientBatch(bytes: writer.bytes, next: next, missed: slice.first - place - 1)
        if view.streamCount.load(ordering: .relaxed) > 1 { view.lastLive.withLock { $0 = (place, batch) } }
        return batch
    }

    /// The events after a position, for a subscription. Does not wait for a disk.
    ///
    /// - Parameter fetchStored: the pending read; the stream keeps it between calls.
    func next(after position: UInt64, view: EventSubscription, fetchStored: inout StoredEventFetch?) -> Next {
        guard source.sequence > position else { return .nothing }
        let key = BatchCache.Key(view: view.number, epochRevision: source.epochRevision, after: position)
        if let batch = cache.withLock({ $0[key] }) {
            fetchStored = nil
            return .batch(batch)
        }
        if let slice = source.heldEvents(after: position, limit: Self.maximumEvents) {
            fetchStored = nil
            return batch(of: slice, for: key, view: view)
        }
        if fetchStored?.key != key { fetchStored = self.fetchStored(key, view: view) }
        guard let result = fetchStored?.result else { return .later }
        fetchStored = nil
        return result
    }

    /// Starts reading a batch, or joins the running read; nil when too many reads are pending, and one of them must end
    /// first.
    private func fetchStored(_ key: BatchCache.Key, view: EventSubscription) -> StoredEventFetch? {
        let (fetchStored, isNew) = recalls.withLock { recalls -> (StoredEventFetch?, Bool) in
            if let fetchStored = recalls[key] { return (fetchStored, false) }
            guard recalls.count < Self.maximumRecalls else { return (nil, false) }
            let fetchStored = StoredEventFetch(key: key)
            recalls[key] = fetchStored
            return (fetchStored, true)
        }
        guard let fetchStored, isNew else { return fetchStored }
        // No reads for clients that have disconnected.
        let isWanted = { @Sendable in view.streamCount.load(ordering: .relaxed) > 0 }
        recall(key.after, Self.maximumEvents, isWanted) { [weak self] slice in
            guard let self else { return }
            if let slice { fetchStored.complete(with: batch(of: slice, for: key, view: view)) }
            recalls.withLock { $0[key] = nil }
            // After a failure the source wakes the streams when it can be read again.
            if slice == nil { fetchStored.complete(with: .later) } else { wakeStreams() }
        }
        return fetchStored
    }

    private func batch(of slice: EventSlice<RecordedEvent>, for key: BatchCache.Key, view: EventSubscription) -> Next {
        if slice.oldest > key.after + 1 { return .lost(oldest: slice.oldest) }
        let rendering = EventRendering(epoch: slice.epoch, query: view.query, incidents: view.incidents)
        var writer = JSONWriter()
        var next = key.after
        for event in slice.events {
            rendering.append(event, to: &writer)
            next = event.sequence
            if writer.bytes.count >= Self.maximumBytes { break }
        }
        if next == slice.events.last?.sequence ?? key.after { next = max(next, slice.through) }
        guard next > key.after else { return .nothing }
        let batch = EventBatch(bytes: writer.bytes, next: next)
        if view.streamCount.load(ordering: .relaxed) > 1 {
            cache.withLock { $0.insert(batch, for: key) }
        }
        return .batch(batch)
    }
}

/// A subscription to the log; streams with equal queries share it and its rendered events.
final class EventSubscription: Sendable {
    let number: UInt64
    let query: EventQuery
    let incidents: IncidentFilter
    /// The number of its streams.
    let streamCount = Atomic<Int>(1)
    /// The last rendered transient events: streams are woken one after another and need the same.
    let lastLive = Mutex<(place: UInt64, batch: TransientBatch)?>(nil)

    init(number: UInt64, query: EventQuery, incidents: IncidentFilter) {
        self.number = number
        self.query = query
        self.incidents = incidents
    }
}
