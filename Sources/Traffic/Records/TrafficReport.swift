// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A target's traffic in the last minutes, as ``TrafficObserver/report(of:lastMinutes:)`` returns it.
package struct TrafficReport: Sendable, Hashable {
    /// A minute with traffic.
    package struct Minute: Sendable, Hashable {
        /// When it began, in nanoseconds of the event loop's clock.
        package let start: UInt64
        /// What was counted.
        package let counts: TrafficCounts
        /// The median of the connections' shortest round trips in microseconds, from a sample of at most 31; nil without any.
        package let medianRoundTrip: UInt32?
        /// The share of the minute in which ended connections were observed, from 0 to 1. The counts are of that share.
        package let share: Double
        /// How often the kernel dropped messages for want of buffer space (`ENOBUFS`): above 0 the counts are too low.
        package let overruns: UInt32
    }

    /// The minutes that had traffic, the oldest first.
    package let minutes: [Minute]
    /// Their sum.
    package let total: TrafficCounts
    /// The share of the whole time asked for in which ended connections were observed, from 0 to 1.
    package let share: Double
    /// The sums since the target is watched, and the newest evidence.
    package let summary: TrafficSummary

    init(_ record: TrafficRecord?, lastMinutes count: Int, observed: ObservedTime, at now: UInt64) {
        var total = TrafficCounts()
        minutes = (record?.minutes(last: count, at: now) ?? []).map { minute in
            total.add(minute.counts)
            return Minute(
                start: minute.number * ObservedTime.minute,
                counts: minute.counts,
                medianRoundTrip: minute.median,
                share: observed.share(ofMinute: minute.number, at: now),
                overruns: observed.overruns(inMinute: minute.number)
            )
        }
        self.total = total
        share = observed.share(ofLast: count, at: now)
        summary = record?.summary ?? TrafficSummary()
    }
}
