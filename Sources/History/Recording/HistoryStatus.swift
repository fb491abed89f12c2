// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// How the durable log is.
public struct HistoryStatus: Sendable, Hashable {
    /// What it does; raw values are the HTTP contract's.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Every event is safe before a client sees it.
        case ok
        /// Events are only in memory for now; clients see them under another epoch.
        case degraded
        /// There is no durable log.
        case off
    }

    /// What it does.
    public var state: State
    /// Since when.
    public var since: Timestamp
    /// Why it is degraded.
    public var failure: HistoryError?
    /// How often it failed since the start.
    public var failures: UInt64 = 0
    /// Events that are not written yet.
    public var waiting: UInt64 = 0
    /// Events that were recorded and will never be in the log, since the start.
    public var lost: UInt64 = 0
    /// The number of the oldest event that is kept; nil when none is.
    public var oldest: UInt64?
    /// When it was recorded.
    public var oldestTime: Timestamp?
    /// How much room the events take, in bytes, as it was measured last.
    public var bytes: UInt64 = 0

    /// Creates a status.
    public init(state: State, since: Timestamp, failure: HistoryError? = nil) {
        self.state = state
        self.since = since
        self.failure = failure
    }
}
