// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How a durable event log fares, for the metrics.
public struct HistoryFacts: Sendable, Hashable {
    /// Whether every event is written before a client sees it; false while something is wrong with the store.
    public var isDurable: Bool
    /// Events that are written.
    public var sequence: UInt64
    /// Events that wait to be written.
    public var waiting: Int
    /// Times that the store failed, by the failure's code.
    public var errors: [String: UInt64]
    /// What the store takes on the disk, in bytes; nil when that is not known.
    public var bytes: UInt64?

    /// Creates facts.
    public init(
        isDurable: Bool,
        sequence: UInt64,
        waiting: Int = 0,
        errors: [String: UInt64] = [:],
        bytes: UInt64? = nil
    ) {
        self.isDurable = isDurable
        self.sequence = sequence
        self.waiting = waiting
        self.errors = errors
        self.bytes = bytes
    }
}
