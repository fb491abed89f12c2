// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import LinuxIO
internal import Synchronization

/// The part of ``TrafficObserver`` that belongs to the event loop's thread: the source, its filter and the ration.
final class TrafficSubscription {
    private let loop: EventLoop
    private let table: TrafficTableLock
    private let changed: @Sendable (TrafficChange) -> Void
    private let batchTaken: @Sendable () -> Void
    private var source: ConnectionEndSource?
    private var ration: SubscriptionRation
    private var watch: WatchToken?
    private var timer: TimerToken?
    private let filterInterval: UInt64
    private var lastApplied: UInt64?
    private var applying: TimerToken?

    /// Opens the source; joins no group until ``apply()`` finds a target. On the loop's thread.
    ///
    /// - Parameter batchTaken: Called after each batch of messages, for tests that await one.
    init(
        loop: EventLoop,
        table: TrafficTableLock,
        limit: Int,
        receiveBuffer: Int32,
        filterInterval: Duration,
        changed: @escaping @Sendable (TrafficChange) -> Void,
        batchTaken: @escaping @Sendable () -> Void
    ) throws(TrafficError) {
        self.loop = loop
        self.table = table
        self.changed = changed
        self.batchTaken = batchTaken
        self.filterInterval = filterInterval.nanoseconds
        ration = SubscriptionRation(limit: limit, at: loop.clock.now())
        let source = try ConnectionEndSource(receiveBuffer: receiveBuffer)
        self.source = source
        do {
            watch = try loop.watch(source.descriptor, for: .readable) { [weak self] _ in self?.read() }
        } catch {
            throw TrafficError(error)
        }
    }

    /// Fits the filter to the table's endpoints, now or soon.
    func endpointsChanged() {
        guard applying == nil else { return }
        let now = loop.clock.now()
        guard let lastApplied, now < lastApplied + filterInterval else { return apply() }
        applying = loop.schedule(at: lastApplied + filterInterval) { [weak self] in
            self?.applying = nil
            self?.apply()
        }
    }

    /// Fits the filter and the membership to the table's endpoints.
    private func apply() {
        guard let source else { return }
        lastApplied = loop.clock.now()
        let endpoints = table.withLock { Array($0.targetsByEndpoint.keys) }
        if !endpoints.isEmpty { source.filter(endpoints) }
        update()
    }

    /// Ends everything; a second call does nothing.
    func close() {
        watch.map(loop.unwatch)
        timer.map(loop.cancel)
        applying.map(loop.cancel)
        (watch, timer, applying) = (nil, nil, nil)
        source?.leave()
        source = nil
        update()
    }

    /// Receives one batch.
    private func read() {
        guard let source else { return }
        let now = loop.clock.now()
        let weight = source.filterLength > 0 ? Int(ConnectionFilter.sampling) : 1
        var changes: [TrafficChange] = []
        var connections = 0
        do {
            let batch = try source.receive { message in
                switch table.withLock({ $0.take(message, at: now) }) {
                case .counted(let reported):
                    connections += 1
                    changes += reported
                case .other:
                    connections += weight
                }
            }
            if batch.isOverrun {
                table.withLock { table in
                    table.statistics.overruns += 1
                    table.observed.overrun(at: now)
                }
            }
        } catch {
            fail(TrafficError(error))
        }
        if ration.count(connections, at: now) != nil {
            table.withLock { $0.statistics.rations += 1 }
            update()
        }
        for change in changes { changed(change) }
        batchTaken()
    }

    /// Joins or leaves as the ration and the targets require, and sets the timer that the ration needs.
    private func update() {
        let isWanted = source != nil && table.withLock { !$0.targetsByEndpoint.isEmpty }
        if let source, isWanted, ration.isSubscribed {
            do {
                try source.join()
            } catch {
                return fail(TrafficError(error))
            }
        } else {
            source?.leave()
        }
        let now = loop.clock.now()
        let (isSubscribed, length, isRationed) = (
            source?.isSubscribed ?? false, source?.filterLength ?? 0, ration.isRationed
        )
        table.withLock { table in
            table.observed.update(isObserving: isSubscribed, at: now)
            table.statistics.isSubscribed = isSubscribed
            table.statistics.isRationed = isRationed
            table.statistics.filterInstructions = length
        }
        timer.map(loop.cancel)
        timer = nil
        guard isWanted, let deadline = ration.deadline else { return }
        timer = loop.schedule(at: deadline) { [weak self] in self?.deadlinePassed() }
    }

    private func deadlinePassed() {
        timer = nil
        _ = ration.advance(to: loop.clock.now())
        update()
    }

    private func fail(_ error: TrafficError) {
        table.withLock { $0.statistics.failure = error }
        close()
    }
}
