// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer

/// Metrics of the HTTP server.
enum ServerMetrics {
    static func write(_ server: HTTPServerStatistics, _ writer: inout MetricsWriter) {
        let counters: [(StaticString, StaticString, UInt64)] = [
            ("reachd_http_connections", "Connections accepted.", server.acceptedConnections),
            (
                "reachd_http_slow_connections", "Connections closed because a request took too long to arrive.",
                server.slowConnections
            ),
            (
                "reachd_http_failed_accepts",
                "Connections that were not accepted for lack of descriptors or memory.", server.failedAccepts
            ),
            ("reachd_http_requests", "Requests with a complete header.", server.requests),
            (
                "reachd_http_refused_requests", "Requests that the server refused before routing.",
                server.refusedRequests
            ),
            ("reachd_http_streams", "Streams started, including deferred responses.", server.startedStreams),
            ("reachd_http_stalled_streams", "Streams closed because their client read nothing.", server.stalledStreams),
            ("reachd_http_streamed_bytes", "Bytes written to streams.", server.streamedBytes),
        ]
        for (name, help, value) in counters {
            writer.begin(MetricFamily(name, kind: .counter, help))
            writer.sample([], value)
        }
        writer.begin(MetricFamily("reachd_http_responses", kind: .counter, "Responses by status class."))
        for index in 0..<5 {
            let count = server.responsesByClass[index]
            writer.open()
            writer.label("class", "\(index + 1)xx")
            writer.close(count)
        }
        writer.begin(MetricFamily("reachd_http_open_connections", "Open connections, including streams."))
        writer.sample([], server.openConnections)
        writer.begin(MetricFamily("reachd_http_open_streams", "Open streams, including deferred responses."))
        writer.sample([], server.openStreams)
    }
}
