// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How the probes' schedule is kept.
package struct ProbingStatistics: Sendable, Hashable {
    /// Probes started since reachd was.
    package var started: UInt64 = 0
    /// Probes that ended with a result.
    package var finished: UInt64 = 0
    /// Turns that could not start in time; they are skipped and never made up for.
    package var missed: UInt64 = 0
    /// Probes that a failed connection of this machine started at once.
    package var hinted: UInt64 = 0
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

/// How much too late the last probes were started, waiting for a place included.
struct LagMeter {
    private static let capacity = 4096
    private var lags: [UInt64] = []
    private var count = 0

    mutating func record(_ lag: UInt64) {
        if lags.count < Self.capacity { lags.append(lag) } else { lags[count % Self.capacity] = lag }
        count += 1
    }

    /// Sets the three figures of lag.
    func summarize(into statistics: inout ProbingStatistics) {
        guard !lags.isEmpty else { return }
        let sorted = lags.sorted()
        func quantile(_ share: Double) -> Duration {
            .nanoseconds(sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)])
        }
        statistics.medianLag = quantile(0.5)
        statistics.lag99 = quantile(0.99)
        statistics.longestLag = quantile(1)
    }
}

/// The schedule's statistics, passed from the probes' thread to readers; sorted only when they are read.
struct ScheduleRecord: Sendable {
    var counts = ProbingStatistics()
    var meter = LagMeter()

    /// With the figures of lag.
    var statistics: ProbingStatistics {
        var statistics = counts
        meter.summarize(into: &statistics)
        return statistics
    }
}
