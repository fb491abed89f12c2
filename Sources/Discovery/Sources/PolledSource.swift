// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import LinuxIO

/// A source that asks at intervals. After an error it asks again sooner, with growing pauses.
package final class PolledSource: DiscoverySource {
    /// The result of a successful look.
    package struct Look: Sendable {
        /// As in ``SourceReport``.
        package var items: [DiscoveredItem]?
        /// As in ``SourceReport``.
        package var notes: [LogMessage] = []
        /// The pause before the next look; nil for the refresh interval.
        package var next: Duration?

        /// Creates a result.
        package init(items: [DiscoveredItem]?, notes: [LogMessage] = [], next: Duration? = nil) {
            self.items = items
            self.notes = notes
            self.next = next
        }
    }

    private let thread: SourceThread
    private let refresh: Duration
    private let look: @Sendable (SourceThread) throws(SourceError) -> Look

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - thread: the thread that asks.
    ///   - refresh: the pause between two looks.
    ///   - look: asks once, on the thread. It may block, and checks ``SourceThread/isStopped`` meanwhile.
    package init(
        on thread: SourceThread,
        every refresh: Duration,
        look: @escaping @Sendable (SourceThread) throws(SourceError) -> Look
    ) {
        self.thread = thread
        self.refresh = refresh
        self.look = look
    }

    /// See the protocol.
    package func start(_ report: @escaping @Sendable (SourceReport) -> Void) {
        thread.start(report) { [refresh, look] thread in
            var backoff = Backoff(first: min(.seconds(1), refresh), longest: refresh)
            var pause: Duration
            repeat {
                do throws(SourceError) {
                    let found = try look(thread)
                    pause = found.next ?? refresh
                    backoff.reset()
                    guard !thread.isStopped else { return }
                    report(SourceReport(items: found.items, notes: found.notes))
                } catch {
                    pause = backoff.next()
                    guard !thread.isStopped else { return }
                    report(SourceReport(error: error))
                }
            } while thread.pause(pause)
        }
    }

    /// See the protocol.
    package func stop() { thread.stop() }
}
