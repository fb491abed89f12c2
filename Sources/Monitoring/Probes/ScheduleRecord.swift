// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How the schedule is kept, as it is handed from the probes' thread to who asks; put in order only when somebody does.
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
