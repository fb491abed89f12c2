// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// When a probe is to start.
public struct ProbeTurn: Sendable, Hashable {
    /// In monotonic nanoseconds.
    public let due: UInt64
    /// How many turns had passed before anybody could take them: they are skipped, never made up for.
    public let missed: UInt64

    /// Creates a turn.
    public init(due: UInt64, missed: UInt64 = 0) {
        self.due = due
        self.missed = missed
    }

    /// How much too late a start is, in nanoseconds; 0 when it is not.
    public func lag(ofStartAt start: UInt64) -> UInt64 { start > due ? start - due : 0 }
}
