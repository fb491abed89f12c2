// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension RequestHandler {
    /// How the interface reaches what runs beside it; fixed when the handler is created.
    package struct Wiring: Sendable {
        /// Runs a job, possibly later and on another thread, after the jobs that it was given before.
        package typealias Executor = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

        /// Has the server ask all streams for new bytes. Any thread; returns at once.
        package var wakeStreams: @Sendable () -> Void
        /// Runs changes of targets and of the configuration, which wait for disks and for the path engine.
        package var write: Executor
        /// Runs reads of the history and of events that are not in memory, which wait for a disk.
        package var read: Executor
        /// Reads the configuration again, inside ``write``; nil where there is none.
        package var reload: (@Sendable () -> ReloadOutcome)?
        /// What the metrics show besides what the handler knows itself; called for each scrape, and must not wait.
        package var facts: @Sendable () -> ServiceFacts

        /// Wires a handler.
        ///
        /// - Parameters:
        ///   - wakeStreams: has the server ask all streams for new bytes; does nothing unless given.
        ///   - write: runs changes; on the caller's thread unless given.
        ///   - read: runs reads of the history; on the caller's thread unless given.
        ///   - reload: reads the configuration again; nil where there is none.
        ///   - facts: what the metrics show besides; nothing unless given.
        package init(
            wakeStreams: @escaping @Sendable () -> Void = {},
            write: @escaping Executor = { $0() },
            read: @escaping Executor = { $0() },
            reload: (@Sendable () -> ReloadOutcome)? = nil,
            facts: @escaping @Sendable () -> ServiceFacts = { ServiceFacts() }
        ) {
            self.wakeStreams = wakeStreams
            self.write = write
            self.read = read
            self.reload = reload
            self.facts = facts
        }
    }
}
