// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How the minutes, hours and days of targets are written down.
package struct RollupStatus: Sendable, Hashable {
    /// Why they are not; nil when they are.
    package internal(set) var failure: HistoryError.Code?
    /// Minutes that wait to be written.
    package internal(set) var waiting = 0
    /// Minutes that will never be written, since the start.
    package internal(set) var lost: UInt64 = 0
    /// How much room all of them take, in bytes, as it was measured last.
    package internal(set) var bytes: UInt64 = 0

    /// Nothing is written yet, and nothing failed.
    package init() {}
}
