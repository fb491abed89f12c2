// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Metrics of the discovery sources.
enum DiscoveryMetrics {
    static func write(_ sources: [DiscoverySourceStatus], _ writer: inout MetricsWriter) {
        guard !sources.isEmpty else { return }
        let labelled = sources.map { source in
            (
                labels: MetricsWriter.labels {
                    $0.label("source", source.name)
                    $0.label("kind", source.kind)
                }, source: source
            )
        }
        writer.begin(MetricFamily("reachd_discovery_targets", "Number of targets of a discovery source."))
        for (labels, source) in labelled { writer.sample(labels, source.targets) }
        writer.begin(
            MetricFamily(
                "reachd_discovery_up",
                "Whether the last look of a discovery source succeeded; absent before the first."
            )
        )
        for (labels, source) in labelled where source.failure != nil || source.lastSuccess != nil {
            writer.sample(labels, source.failure == nil ? 1 : 0)
        }
        writer.begin(
            MetricFamily(
                "reachd_discovery_last_success_timestamp_seconds",
                "When a discovery source last looked successfully."
            )
        )
        for (labels, source) in labelled {
            if let moment = source.lastSuccess { writer.sample(labels, moment) }
        }
    }
}
