// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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
