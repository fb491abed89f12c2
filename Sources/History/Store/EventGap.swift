// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

public import Monitoring

/// Events that were recorded and are not in the log.
public struct EventGap: Sendable, Hashable {
    /// The number of the first that is missing.
    public let first: UInt64
    /// The number of the last that is missing.
    public let last: UInt64
    /// Since when the log was not written.
    public let began: Timestamp
    /// Since when it was again.
    public let ended: Timestamp
    /// Why.
    public let reason: HistoryError.Code

    /// Creates a gap.
    public init(first: UInt64, last: UInt64, began: Timestamp, ended: Timestamp, reason: HistoryError.Code) {
        self.first = first
        self.last = last
        self.began = began
        self.ended = ended
        self.reason = reason
    }
}
