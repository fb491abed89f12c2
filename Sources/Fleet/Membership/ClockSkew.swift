// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How far the database's clock is ahead of this machine's wall clock, measured with each renewal of the lease.
///
/// One measurement locates the skew within half of its round trip to each side. Measurements that agree narrow the interval; one that
/// contradicts them replaces them, because a clock was set.
package struct ClockSkew: Sendable, Hashable {
    /// The lowest and the highest skew that agree with the measurements; nil before the first.
    private(set) var bounds: ClosedRange<Duration>?
    /// The length of the last round trip; nil before the first.
    package private(set) var roundTrip: Duration?

    /// How much two clocks may drift apart, as a fraction of the time between measurements.
    private static let drift = 5_000

    /// Creates a skew without measurements.
    package init() {}

    /// The estimate; zero before the first measurement.
    package var estimate: Duration {
        guard let bounds else { return .zero }
        return bounds.lowerBound + (bounds.upperBound - bounds.lowerBound) / 2
    }

    /// Takes a measurement.
    ///
    /// - Parameters:
    ///   - database: the database's time while it executed the statement.
    ///   - wall: the wall clock when the answer arrived, since the Unix epoch.
    ///   - roundTrip: from sending the statement to its answer, by a clock that is not set.
    ///   - elapsed: since the measurement before.
    mutating func measure(database: Duration, wall: Duration, roundTrip: Duration, elapsed: Duration) {
        self.roundTrip = roundTrip
        let middle = database - (wall - roundTrip / 2)
        // The wall clock is read in milliseconds.
        let margin = roundTrip / 2 + .milliseconds(1)
        let measured = (middle - margin)...(middle + margin)
        guard let bounds else { return self.bounds = measured }
        let widening = elapsed / Self.drift
        let known = (bounds.lowerBound - widening)...(bounds.upperBound + widening)
        self.bounds = known.overlaps(measured) ? known.clamped(to: measured) : measured
    }
}
