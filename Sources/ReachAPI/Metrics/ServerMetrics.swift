// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// What is told of the HTTP server.
enum ServerMetrics {
    static func write(_ server: HTTPServerStatistics, _ writer: inout MetricsWriter) {
        let counters: [(StaticString, StaticString, UInt64)] = [
            ("reachd_http_connections", "Connections accepted.", server.acceptedConnections),
            (
                "reachd_http_slow_connections", "Connections ended because a request took too long to come.",
                server.slowConnections
            ),
            (
                "reachd_http_failed_accepts",
                "Connections that could not be accepted for want of descriptors or memory.", server.failedAccepts
            ),
            ("reachd_http_requests", "Requests whose header was complete.", server.requests),
            (
                "reachd_http_refused_requests", "Requests that the server refused before a route was asked.",
                server.refusedRequests
            ),
            ("reachd_http_streams", "Streams begun, late answers among them.", server.startedStreams),
            ("reachd_http_stalled_streams", "Streams ended because their client took nothing.", server.stalledStreams),
            ("reachd_http_streamed_bytes", "Bytes written to streams.", server.streamedBytes),
        ]
        for (name, help, value) in counters {
            writer.begin(MetricFamily(name, kind: .counter, help))
            writer.sample([], value)
        }
        writer.begin(MetricFamily("reachd_http_responses", kind: .counter, "Answers by the class of their status."))
        for (index, count) in server.responsesByClass.enumerated() {
            writer.open()
            writer.label("class", "\(index + 1)xx")
            writer.close(count)
        }
        writer.begin(MetricFamily("reachd_http_open_connections", "Connections that are open, streams among them."))
        writer.sample([], server.openConnections)
        writer.begin(MetricFamily("reachd_http_open_streams", "Streams that are open, late answers among them."))
        writer.sample([], server.openStreams)
    }
}
