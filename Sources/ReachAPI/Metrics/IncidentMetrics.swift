// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Metrics of incidents. All series are there from the start, so that an alert rule finds a zero and not nothing.
enum IncidentMetrics {
    private static let severities: [TargetState] = [.degraded, .unreachable, .down]
    private static let causes: [StateCause] = [.target, .localNetwork, .path, .dns, .parent]

    /// Incidents of what this node observes.
    static func write(_ tally: IncidentTally, _ writer: inout MetricsWriter) {
        let help: StaticString = "Open incidents, by their cause and the worst state of a member."
        write(tally, MetricFamily("reachd_incidents", help), &writer)
        writer.begin(MetricFamily("reachd_incidents_opened", kind: .counter, "Incidents opened since the start."))
        writer.sample([], tally.opened)
    }

    /// Incidents of a fleet, at its coordinator.
    static func write(ofFleet tally: IncidentTally, _ writer: inout MetricsWriter) {
        let help: StaticString = "Open incidents of the fleet, by cause and severity. Only on the coordinator."
        write(tally, MetricFamily("reachd_fleet_incidents", help), &writer)
    }

    private static func write(_ tally: IncidentTally, _ family: MetricFamily, _ writer: inout MetricsWriter) {
        var counts: [StateCause: [TargetState: Int]] = [:]
        for (key, count) in tally.open { counts[key.place, default: [:]][key.severity, default: 0] += count }
        writer.begin(family)
        for cause in causes {
            for severity in severities {
                let labels = MetricsWriter.labels {
                    $0.label("cause", cause.rawValue)
                    $0.label("severity", severity.rawValue)
                }
                writer.sample(labels, counts[cause]?[severity] ?? 0)
            }
        }
    }
}
