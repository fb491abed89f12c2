// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A run of events from the log.
public struct EventSlice: Sendable {
    /// The events, oldest first, without a gap between them.
    public let events: [Event]
    /// The number of the oldest event that the log keeps; larger than asked for when events were lost.
    public let oldest: UInt64
    /// The number of the newest event.
    public let head: UInt64
}
