// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// When a probe is to start.
package struct ProbeTurn: Sendable, Hashable {
    /// In monotonic nanoseconds.
    package let due: UInt64
    /// How many turns had passed before anybody could take them: they are skipped, never made up for.
    package let missed: UInt64

    /// Creates a turn.
    package init(due: UInt64, missed: UInt64 = 0) {
        self.due = due
        self.missed = missed
    }

    /// How much too late a start is, in nanoseconds; 0 when it is not.
    package func lag(ofStartAt start: UInt64) -> UInt64 { start > due ? start - due : 0 }
}
