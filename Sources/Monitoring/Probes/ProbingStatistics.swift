// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How the probes' schedule is kept.
package struct ProbingStatistics: Sendable, Hashable {
    /// Probes started since reachd was.
    package var started: UInt64 = 0
    /// Probes that ended with a result.
    package var finished: UInt64 = 0
    /// Turns that nobody could take in time; they are skipped, never made up for.
    package var missed: UInt64 = 0
    /// Probes in flight.
    package var inFlight = 0
    /// Probes that are due and wait for a place.
    package var waiting = 0
    /// How many times the machine was suspended.
    package var suspensions: UInt64 = 0
    /// How much too late the last starts were, at most 4,096 of them, waiting for a place included: the median.
    package var medianLag: Duration = .zero
    /// The same, the 99th percentile.
    package var lag99: Duration = .zero
    /// The same, the largest.
    package var longestLag: Duration = .zero

    /// Nothing happened yet.
    package init() {}
}
