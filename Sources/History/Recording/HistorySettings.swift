// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How the durable log is kept.
package struct HistorySettings: Sendable, Hashable {
    /// How much it may keep.
    package var retention = RetentionLimit()
    /// Whether reachd is of no use without it: then it does not start, and is not ready, while the log cannot be written.
    package var isRequired = false
    /// How long a commit may take; then everybody goes on without it.
    package var slowLimit: Duration = .seconds(2)
    /// Events that may wait to be written, and no fewer than four of each target; when there are more, everybody goes on without
    /// them.
    package var waitingLimit: UInt64 = 49_152

    /// How long the end of reachd waits for the threads that may hang in the disk, besides ``slowLimit`` for the last events.
    package static let endingLimit: Duration = .seconds(2)

    /// The defaults.
    package init() {}
}
