// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring
import Synchronization

/// Renders the log for all streams: once for each view and position, however many streams are there.
final class EventRenderCache: Sendable {
    enum Next: Sendable {
        case batch(EventBatch)
        /// The log goes no further.
        case nothing
        /// It is being read from a disk; the streams are woken then.
        case later
        /// Events after the position are no longer kept; the oldest that is has this number.
        case lost(oldest: UInt64)
    }

    /// Events read from the log at once, and bytes after which a batch ends.
    private static let maximumEvents = 256
    private static let maximumBytes = 64 << 10
    /// Batches that may wait for the disk at once.
    private static let maximumRecalls = 1_024

    let registry: Registry
    private let cache = Mutex(BatchCache())
    private let views = Mutex(Views())
    private let recalls = Mutex<[BatchCache.Key: StoredEventFetch]>([:])
    private let read: RequestHandler.ServiceDependencies.Executor
    private let wakeStreams: @Sendable () -> Void

    private struct Views {
        var byQuery: [EventQuery: EventSubscription] = [:]
        var lastNumber: UInt64 = 0
    }

    /// - Parameters:
    ///   - registry: has the log.
    ///   - read: runs reads of what memory does not have, which wait for a disk.
    ///   - wakeStreams: wakes the streams that wait for such a read.
    init(
        registry: Registry,
        read: @escaping RequestHandler.ServiceDependencies.Executor,
        wakeStreams: @escaping @Sendable () -> Void
    ) {
        self.registry = registry
        self.read = read
        self.wakeStreams = wakeStreams
    }

    /// How many streams are open.
    var streamCount: Int {
        views.withLock { $0.byQuery.values.reduce(0) { $0 + Int($1.streamCount.load(ordering: .relaxed)) } }
    }

    func open(_ query: EventQuery) -> EventSubscription {
        if query.includesResults { registry.beginReadingResults() }
        return view(of: query)
    }

    private func view(of query: EventQuery) -> EventSubscription {
        views.withLock { views in
            if let view = views.byQuery[query] {
                view.streamCount.add(1, ordering: .relaxed)
                return view
            }
            views.lastNumber += 1
            let view = EventSubscription(number: views.lastNumber, query: query)
            views.byQuery[query] = view
            return view
        }
    }

    func close(_ view: EventSubscription) {
        if view.query.includesResults { registry.endReadingResults() }
        views.withLock { views in
            if view.streamCount.subtract(1, ordering: .relaxed).newValue == 0 { views.byQuery[view.query] = nil }
        }
    }

    /// What goes on behind a place, for a view: results and activity.
    func live(after place: UInt64, view: EventSubscription) -> TransientBatch? {
        guard view.query.includesResults || view.query.wantsActivity, registry.livePosition > place else { return nil }
        if let last = view.lastLive.withLock({ $0 }), last.place == place { return last.batch }
        let slice = registry.liveEvents(after: place, limit: Self.maximumEvents)
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

    /// What follows a position, for a view. Waits for no disk.
    ///
    /// - Parameter fetchStored: what the stream waits for; kept by it between calls.
    func next(after position: UInt64, view: EventSubscription, fetchStored: inout StoredEventFetch?) -> Next {
        guard registry.sequence > position else { return .nothing }
        let key = BatchCache.Key(view: view.number, epochRevision: registry.epochRevision, after: position)
        if let batch = cache.withLock({ $0[key] }) {
            fetchStored = nil
            return .batch(batch)
        }
        if let slice = registry.heldEvents(after: position, limit: Self.maximumEvents) {
            fetchStored = nil
            return batch(of: slice, for: key, view: view)
        }
        if fetchStored?.key != key { fetchStored = self.fetchStored(key, view: view) }
        guard let result = fetchStored?.result else { return .later }
        fetchStored = nil
        return result
    }

    /// Has a batch read, unless that goes on already; nil when too many are, and one of them has to be there first.
    private func fetchStored(_ key: BatchCache.Key, view: EventSubscription) -> StoredEventFetch? {
        let (fetchStored, isNew) = recalls.withLock { recalls -> (StoredEventFetch?, Bool) in
            if let fetchStored = recalls[key] { return (fetchStored, false) }
            guard recalls.count < Self.maximumRecalls else { return (nil, false) }
            let fetchStored = StoredEventFetch(key: key)
            recalls[key] = fetchStored
            return (fetchStored, true)
        }
        guard let fetchStored, isNew else { return fetchStored }
        read { [weak self] in
            guard let self else { return }
            // Clients that come and go must not have the disk read for nobody.
            if view.streamCount.load(ordering: .relaxed) > 0 {
                let slice = registry.events(after: key.after, limit: Self.maximumEvents)
                fetchStored.complete(with: batch(of: slice, for: key, view: view))
            }
            recalls.withLock { $0[key] = nil }
            wakeStreams()
        }
        return fetchStored
    }

    private func batch(of slice: EventSlice<RecordedEvent>, for key: BatchCache.Key, view: EventSubscription) -> Next {
        if slice.oldest > key.after + 1 { return .lost(oldest: slice.oldest) }
        let rendering = EventRendering(epoch: slice.epoch, query: view.query)
        var writer = JSONWriter()
        var next = key.after
        for event in slice.events {
            rendering.append(event, to: &writer)
            next = event.sequence
            if writer.bytes.count >= Self.maximumBytes { break }
        }
        guard next > key.after else { return .nothing }
        let batch = EventBatch(bytes: writer.bytes, next: next)
        if view.streamCount.load(ordering: .relaxed) > 1 {
            cache.withLock { $0.insert(batch, for: key) }
        }
        return .batch(batch)
    }
}

/// One way of looking at the log; streams with equal queries share it, and what was rendered for it.
final class EventSubscription: Sendable {
    let number: UInt64
    let query: EventQuery
    /// How many streams look this way.
    let streamCount = Atomic<Int>(1)
    /// What goes on, as it was rendered last: streams are woken one after the other and ask the same.
    let lastLive = Mutex<(place: UInt64, batch: TransientBatch)?>(nil)

    init(number: UInt64, query: EventQuery) {
        self.number = number
        self.query = query
    }
}
