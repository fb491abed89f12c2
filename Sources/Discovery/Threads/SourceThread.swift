// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

/// The thread of a source: it may block, pauses between its attempts, and ends when it is stopped.
package final class SourceThread: Sendable {
    private let name: String
    private let pauses: any SourcePauses
    private let stopped = Atomic(false)

    /// Creates a thread that does not run yet.
    ///
    /// - Parameters:
    ///   - name: as debuggers show it, at most 15 bytes.
    ///   - pauses: how it waits; tests do not.
    package init(name: String, pauses: any SourcePauses = SystemPauses()) {
        self.name = name
        self.pauses = pauses
    }

    /// Whether the thread was stopped. Any thread.
    package var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// Runs a body once, unless the thread was stopped.
    ///
    /// - Parameters:
    ///   - report: receives the error of the system if no thread can be started.
    ///   - body: returns soon after ``isStopped`` is true.
    package func start(
        _ report: @Sendable (SourceReport) -> Void,
        _ body: @escaping @Sendable (SourceThread) -> Void
    ) {
        do throws(SystemError) {
            try Thread(name: name) { [self] in if !isStopped { body(self) } }.detach()
        } catch {
            report(SourceReport(error: SourceError(.system, "\(error)")))
        }
    }

    /// Waits. On the thread.
    ///
    /// - Returns: whether to continue; false, at once, when the thread was stopped.
    package func pause(_ length: Duration) -> Bool {
        if !isStopped { pauses.wait(length) }
        return !isStopped
    }

    /// Stops the thread; it is not waited for. Any thread; a second call does nothing.
    package func stop() {
        guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        pauses.end()
    }
}

/// How a source's thread waits.
package protocol SourcePauses: Sendable {
    /// Blocks for a time, or until ``end()``.
    func wait(_ length: Duration)

    /// Ends the present wait and all later ones. Any thread; called once.
    func end()
}

/// Pauses by the monotonic clock.
package struct SystemPauses: SourcePauses {
    private let ended = Semaphore()

    /// Creates the pauses of one thread.
    package init() {}

    /// See the protocol.
    package func wait(_ length: Duration) { _ = ended.wait(within: length) }

    /// See the protocol.
    package func end() { ended.post() }
}
