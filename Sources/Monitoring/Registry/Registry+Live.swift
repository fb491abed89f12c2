// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// What goes on right now: read by who cares, kept for a moment only.
extension Registry {
    /// The place behind which the next live event will be. Any thread.
    package var livePosition: UInt64 { live.withLock { $0.head } }

    /// Live events behind a place, at most `limit`. Any thread.
    package func liveEvents(after position: UInt64, limit: Int) -> LiveSlice {
        live.withLock { live in
            LiveSlice(
                events: live.events(after: position, limit: limit),
                first: max(position + 1, live.oldest)
            )
        }
    }

    /// Says that somebody reads each probe's result; to be taken back by ``endReadingResults()``.
    package func beginReadingResults() { live.withLock { $0.beginReading() } }

    /// Takes ``beginReadingResults()`` back.
    package func endReadingResults() { live.withLock { $0.endReading() } }

    /// Adds a closure that gets each probe's result with the record after it, once, on the thread that recorded it; it must
    /// not block. Results are not kept for it. There is no way back: listeners live as long as the registry.
    package func onResults(_ listener: @escaping @Sendable (StatusRecord, ProbeReport) -> Void) {
        listeners.withLock { $0.results.append(listener) }
    }

    func tell(_ content: LiveEvent.Content) {
        let event = LiveEvent(at: clock.now(), content: content)
        live.withLock { $0.append(event) }
        tellListeners()
        tellReaders()
    }
}
