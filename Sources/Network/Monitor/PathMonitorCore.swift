// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Dispatch
internal import NetworkPaths
internal import Synchronization

/// The state of an ``NWPathMonitor``. The engine refers to this and not to the monitor, so that one that was not started ends with
/// its last reference.
final class PathMonitorCore: Sendable {
    private struct State {
        var handler: (@Sendable (NWPath) -> Void)?
        var queue: DispatchQueue?
        /// A serial queue that runs on ``queue``: a concurrent queue would change the order of updates.
        var deliveries: DispatchQueue?
        var isObserving = false
        var isCancelled = false
        var subscription: PathSubscription?
        /// The monitor, from its start until it is cancelled.
        var monitor: NWPathMonitor?
        var latest: NWPath?
        /// Numbers the paths from 1.
        var number: UInt64 = 0
        /// The number of the newest path that a handler got.
        var delivered: UInt64 = 0
        var readers: [UInt64: AsyncStream<NWPath>.Continuation] = [:]
        var lastReader: UInt64 = 0
    }

    /// Paths that a slow reader of the sequence does not lose.
    private static let buffer = 64

    private let restriction: InterfaceRestriction
    private let hub: SharedPathEngine
    private let state = Mutex(State())

    init(restriction: InterfaceRestriction, hub: SharedPathEngine) {
        self.restriction = restriction
        self.hub = hub
    }

    // MARK: Properties

    var handler: (@Sendable (NWPath) -> Void)? { state.withLock { $0.handler } }

    var queue: DispatchQueue? { state.withLock { $0.queue } }

    var currentPath: NWPath {
        if let latest = state.withLock({ $0.latest }) { return latest }
        do {
            return restriction.path(of: try hub.evaluateInterfacePaths())
        } catch {
            return NWPath(refusal: error)
        }
    }

    func setHandler(_ handler: (@Sendable (NWPath) -> Void)?) {
        let old = state.withLock { state in
            let old = state.handler
            guard !state.isCancelled else { return old }
            state.handler = handler
            // No handler got a path yet: this one begins with the present path.
            if handler != nil, state.delivered == 0 { deliverLatest(state) }
            return old
        }
        // The last reference to what the handler captured goes here, outside the lock.
        _ = old
    }

    // MARK: Life

    /// Begins to deliver paths.
    ///
    /// - Parameters:
    ///   - queue: The queue of the handler.
    ///   - monitor: The monitor that this belongs to; it is kept until ``cancel()``.
    func start(queue: DispatchQueue, keeping monitor: NWPathMonitor) {
        let deliveries = DispatchQueue(label: "reachd.NWPathMonitor", target: queue)
        let isFirst = state.withLock { state in
            guard state.queue == nil, !state.isCancelled else { return false }
            state.queue = queue
            state.monitor = monitor
            state.deliveries = deliveries
            // A sequence is being read already: its path is the handler's first.
            deliverLatest(state)
            return true
        }
        if isFirst { observe() }
    }

    func cancel() {
        let ended = state.withLock { state in
            let ended = state
            state.isCancelled = true
            state.subscription = nil
            state.monitor = nil
            state.handler = nil
            state.readers = [:]
            return ended
        }
        ended.subscription?.cancel()
        for reader in ended.readers.values { reader.finish() }
    }

    func makeStream() -> AsyncStream<NWPath> {
        let (stream, reader) = AsyncStream.makeStream(of: NWPath.self, bufferingPolicy: .bufferingNewest(Self.buffer))
        let number = state.withLock { state -> UInt64? in
            guard !state.isCancelled else { return nil }
            if let latest = state.latest { reader.yield(latest) }
            state.lastReader += 1
            state.readers[state.lastReader] = reader
            return state.lastReader
        }
        guard let number else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        observe()
        return stream
    }

    /// Begins to observe, once; the engine's references to this end with the subscription.
    private func observe() {
        let isFirst = state.withLock { state in
            guard !state.isObserving, !state.isCancelled else { return false }
            state.isObserving = true
            return true
        }
        guard isFirst else { return }
        do {
            let subscription = try hub.observeInterfacePaths { [self] paths in take(restriction.path(of: paths)) }
            let isKept = state.withLock { state in
                guard !state.isCancelled else { return false }
                state.subscription = subscription
                return true
            }
            // Cancelled meanwhile by another thread, which found no subscription to end.
            if !isKept { subscription.cancel() }
        } catch {
            take(NWPath(refusal: error))
        }
    }

    // MARK: Paths

    /// Takes a path, on the engine's thread.
    private func take(_ path: NWPath) {
        let delivery = state.withLock { state -> (queue: DispatchQueue?, number: UInt64)? in
            guard !state.isCancelled, path != state.latest else { return nil }
            state.latest = path
            state.number += 1
            // Under the lock, so that a new reader's first path and the next change keep their order. It makes no call: a waiting
            // task is only made ready to run.
            for reader in state.readers.values { reader.yield(path) }
            return (state.deliveries, state.number)
        }
        guard let (queue, number) = delivery else { return }
        queue?.async { [self] in deliver(path, number) }
    }

    /// Queues the present path for the handler; under the lock, so that the next change comes behind it.
    private func deliverLatest(_ state: State) {
        guard let path = state.latest else { return }
        state.deliveries?.async { [self, number = state.number] in deliver(path, number) }
    }

    /// Calls the handler, on its queue, unless it had this path or the monitor was cancelled since.
    private func deliver(_ path: NWPath, _ number: UInt64) {
        let handler = state.withLock { state -> (@Sendable (NWPath) -> Void)? in
            guard !state.isCancelled, number > state.delivered, let handler = state.handler else { return nil }
            state.delivered = number
            return handler
        }
        handler?(path)
    }
}
