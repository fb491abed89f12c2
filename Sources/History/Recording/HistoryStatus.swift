// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
package import Monitoring

/// How the durable log is.
package struct HistoryStatus: Sendable, Hashable {
    /// What it does; raw values are the HTTP contract's.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Every event is safe before a client sees it.
        case ok
        /// Events are only in memory for now; clients see them under another epoch.
        case degraded
        /// Without a durable log.
        case off
    }

    /// What it does.
    package var state: State
    /// Since when.
    package var since: Timestamp
    /// Why it is degraded.
    package var failure: HistoryError?
    /// How often it failed since the start.
    package var failures: UInt64 = 0
    /// Events that are not written yet.
    package var waiting: UInt64 = 0
    /// Events that were recorded and will never be in the log, since the start.
    package var lost: UInt64 = 0
    /// The number of the oldest event that is kept; nil when none is.
    package var oldest: UInt64?
    /// When it was recorded.
    package var oldestTime: Timestamp?
    /// How much room the events take, in bytes, as it was measured last.
    package var bytes: UInt64 = 0

    /// Creates a status.
    package init(state: State, since: Timestamp, failure: HistoryError? = nil) {
        self.state = state
        self.since = since
        self.failure = failure
    }
}

/// Provides the state of the durable log. Any thread.
package protocol HistoryReporting: Sendable {
    /// How it is.
    var status: HistoryStatus { get }
    /// Whether events are safe before a client sees them; reads one atomic.
    var isDurable: Bool { get }
    /// Whether reachd is of no use without it.
    var isRequired: Bool { get }
}
