// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Monitoring
import NetworkPaths

/// Metrics of this machine's default uplinks.
enum UplinkMetrics {
    static func write(_ uplinks: [Uplink], _ writer: inout MetricsWriter) {
        guard !uplinks.isEmpty else { return }
        let labelled = uplinks.map { uplink in
            let labels = MetricsWriter.labels {
                $0.label("interface", uplink.gateway.interface ?? "")
                $0.label("gateway", uplink.gateway.address.description)
            }
            return (labels: labels, uplink: uplink)
        }
        writer.begin(MetricFamily("reachd_uplink_in_use", "Whether a default route leads through the gateway."))
        for (labels, uplink) in labelled { writer.sample(labels, uplink.state == .inUse ? 1 : 0) }
        writer.begin(MetricFamily("reachd_uplink_failed", "Whether the uplink has an outage."))
        for (labels, uplink) in labelled { writer.sample(labels, uplink.outage == nil ? 0 : 1) }
        writer.begin(MetricFamily("reachd_uplink_outages", kind: .counter, "Outages of the uplink."))
        for (labels, uplink) in labelled { writer.sample(labels, uplink.outageCount) }
        writer.begin(
            MetricFamily("reachd_uplink_gateway_round_trip_seconds", "Round trip of the gateway's last answer.")
        )
        for (labels, uplink) in labelled {
            if let latency = uplink.gatewayLatency { writer.sample(labels, latency.roundTrip) }
        }
    }
}
