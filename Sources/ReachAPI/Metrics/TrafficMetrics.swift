// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Traffic

/// Metrics of this machine's own connections.
extension TargetFamily {
    /// Per target; a target without any connection so far has no samples.
    static let traffic: [TargetFamily] = [
        TargetFamily(
            "reachd_target_connections",
            kind: .counter,
            "Ended TCP connections of this machine with a target, and failed attempts, by their end; the observed ones."
        ) { writer, sample in
            guard let total = sample.traffic?.sinceStart else { return }
            for ending in EndedConnection.Ending.allCases {
                writer.open(sample.labels)
                writer.label("end", ending.rawValue)
                writer.close(total.count(of: ending))
            }
        },
        TargetFamily(
            "reachd_target_segments_sent",
            kind: .counter,
            "TCP segments that this machine sent to a target, retransmissions included."
        ) {
            if let total = $1.traffic?.sinceStart { $0.sample($1.labels, total.segmentsOut) }
        },
        TargetFamily(
            "reachd_target_segments_retransmitted",
            kind: .counter,
            "TCP segments that this machine sent to a target again."
        ) {
            if let total = $1.traffic?.sinceStart { $0.sample($1.labels, total.retransmissions) }
        },
        TargetFamily(
            "reachd_target_connection_rtt_seconds",
            "Median of the shortest round trips of the connections with a target, of the newest minute that had some."
        ) {
            guard let median = $1.traffic?.medianRoundTrip else { return }
            $0.sample($1.labels, Duration.microseconds(Int64(median)))
        },
    ]
}

/// Metrics of the observation itself.
enum TrafficMetrics {
    static func write(_ status: TrafficStatus, _ writer: inout MetricsWriter) {
        writer.begin(MetricFamily("reachd_traffic_observed", "Whether this machine's TCP connections can be observed."))
        guard case .observing(let statistics) = status else { return writer.sample([], 0) }
        writer.sample([], 1)
        writer.begin(
            MetricFamily(
                "reachd_traffic_observed_ratio",
                "Share of the last hour in which ended connections were observed: below 1 above 2,000 per second."
            )
        )
        writer.open()
        writer.close(statistics.share)
        writer.begin(MetricFamily("reachd_traffic_rationed", "Whether one second in 30 is observed at present."))
        writer.sample([], statistics.isRationed ? 1 : 0)
        writer.begin(MetricFamily("reachd_traffic_endpoints", "Observed addresses with ports."))
        writer.sample([], statistics.endpoints)
        let counters: [(StaticString, StaticString, UInt64)] = [
            ("reachd_traffic_messages", "Ended connections that the kernel reported.", statistics.messages),
            ("reachd_traffic_connections", "Ended connections with targets.", statistics.connections),
            ("reachd_traffic_excluded", "Ended connections of reachd's own probes.", statistics.excluded),
            (
                "reachd_traffic_overruns", "Number of times that the kernel dropped reports of ended connections.",
                statistics.overruns
            ),
        ]
        for (name, help, value) in counters {
            writer.begin(MetricFamily(name, kind: .counter, help))
            writer.sample([], value)
        }
    }
}
