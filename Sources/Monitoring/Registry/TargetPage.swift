// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A run of records in the order of their ordinals, taken in one step.
public struct TargetPage: Sendable {
    /// The records.
    public let records: [StatusRecord]
    /// The number of the last event before the page was taken.
    public let sequence: UInt64
    /// What ``Registry/version`` was before the page was taken.
    public let version: UInt64
    /// How many targets there are in all.
    public let count: Int
    /// Whether there are no targets behind the page.
    public let isLast: Bool
    /// The machine's own network at that moment.
    public let network: StatusRecord
}
