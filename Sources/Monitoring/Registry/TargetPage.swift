// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A run of records in the order of their ordinals, taken in one step.
package struct TargetPage: Sendable {
    /// The records.
    package let records: [StatusRecord]
    /// The number of the last event before the page was taken.
    package let sequence: UInt64
    /// What ``Registry/version`` was before the page was taken.
    package let version: UInt64
    /// How many targets there are in all.
    package let count: Int
    /// Whether there are no targets behind the page.
    package let isLast: Bool
    /// The machine's own network at that moment.
    package let network: StatusRecord
}
