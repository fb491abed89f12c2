// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import NetworkPaths
import Synchronization

extension Registry: PathEngineObserver {
    /// Takes a pass of the engine, a slice at a time.
    package func pathsDidChange(_ updates: [PathUpdate]) {
        var start = 0
        while start < updates.count {
            let end = min(start + Self.sliceLength, updates.count)
            let now = clock.now()
            change { state in
                for index in start..<end { state.take(updates[index], at: now) }
            }
            start = end
            // A pass over many targets is reported while it runs.
            if start % (Self.sliceLength * 16) == 0 { notifyListeners() }
        }
        notifyListeners()
    }

    /// Takes the resolvers and gateways; automatic targets follow them.
    package func environmentDidChange(_ environment: NetworkEnvironment) {
        let now = uplinkTime
        let isOutdated = change { $0.take(environment, at: now) }
        if isOutdated { refreshRecords() }
        notifyListeners()
        followEnvironment()
    }

    private func refreshRecords() {
        var next: UInt64? = 0
        var slices = 0
        while let ordinal = next {
            let now = clock.now()
            next = change { state in
                let first = state.table.firstPosition(from: ordinal)
                let end = min(first + Self.sliceLength, state.table.places.count)
                for position in first..<end { state.refreshEnvironment(at: position, at: now) }
                return end < state.table.places.count ? state.table.places[end].ordinal : nil
            }
            slices += 1
            if slices % 16 == 0 { notifyListeners() }
        }
    }
}

/// Transient events: read by subscribers, kept for a moment only.
extension Registry {
    /// The place behind which the next live event will be. Any thread.
    package var livePosition: UInt64 { live.withLock { $0.head } }

    /// Live events behind a place, at most `limit`. Any thread.
    package func liveEvents(after position: UInt64, limit: Int) -> TransientSlice {
        live.withLock { live in
            TransientSlice(
                events: live.events(after: position, limit: limit),
                first: max(position + 1, live.oldest)
            )
        }
    }

    /// Registers a reader of each probe's result; to be undone by ``endReadingResults()``.
    package func beginReadingResults() { live.withLock { $0.beginReading() } }

    /// Takes ``beginReadingResults()`` back.
    package func endReadingResults() { live.withLock { $0.endReading() } }

    /// Adds a closure that gets each probe's result with the record after it, once, on the thread that recorded it; it must
    /// not block. Results are not kept for it. Listeners cannot be removed; they live as long as the registry.
    package func onResults(_ listener: @escaping @Sendable (StatusRecord, ProbeReport) -> Void) {
        listeners.withLock { $0.results.append(listener) }
    }

    func emit(_ content: TransientEvent.Content) {
        let event = TransientEvent(at: clock.now(), content: content)
        live.withLock { $0.append(event) }
        notifyListeners()
        notifyReaders()
    }
}
