// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import History
import Monitoring
import Notifying
import Synchronization

/// The metrics for Prometheus.
extension RequestHandler {
    /// Up to this many targets, the answer is made on the calling thread: half a millisecond's work.
    static let directMetricsLimit = 32
    /// The maximum number of concurrent larger answers; more are refused.
    static let metricsLimit = 8
    /// How long a client may take for one: longer than any scraper waits.
    static let metricsTimeLimit: Duration = .seconds(60)

    func metrics(_ request: HTTPRequest, _ reader: inout QueryReader, isHead: Bool) -> HTTPResponse {
        let chosen = reader.cases("collect", as: MetricsPart.self)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let parts = Set(reader.isGiven("collect") ? chosen : MetricsPart.allCases)
        let format = MetricsFormat(accept: request.header("Accept"))
        let headers = Self.metricsHeaders(format)
        if isHead { return HTTPResponse(status: 200, headers: headers) }
        let overview = registry.overview
        let rendering = MetricsRendering(
            registry,
            parts: parts,
            format: format,
            service: parts.contains(.service) ? serviceMetrics(overview) : nil,
            traffic: { [probes] in probes?.trafficSummary(of: $0) }
        )
        if parts == [.service] || overview.counts.total <= Self.directMetricsLimit {
            return Self.answer(rendering.whole(), headers, to: request)
        }
        return later(rendering, headers, to: request)
    }

    /// Makes the answer while it is sent.
    private func later(
        _ rendering: sending MetricsRendering,
        _ headers: [HTTPHeader],
        to request: HTTPRequest
    ) -> HTTPResponse {
        guard openMetrics.add(1, ordering: .relaxed).newValue <= Self.metricsLimit else {
            openMetrics.subtract(1, ordering: .relaxed)
            let detail = "\(Self.metricsLimit) responses of /metrics are already being sent."
            return Problem(kind: .overloaded, detail: detail, headers: [HTTPHeader("Retry-After", "5")]).response
        }
        let pieces = Mutex(rendering)
        let body = ChunkedResponse(
            // A deferred answer bypasses the code that adds these headers to all others.
            headers: headers + CrossOrigin.fields(for: request, allowed: gate.current.origins),
            isCompressed: request.acceptsGzip,
            timeLimit: Self.metricsTimeLimit,
            whenOver: { [weak self] in _ = self?.openMetrics.subtract(1, ordering: .relaxed) },
            { pieces.withLock { $0.next() }.map { .bytes($0) } ?? .end([]) }
        )
        return HTTPResponse(status: 200, body: .stream(body))
    }

    private func serviceMetrics(_ overview: RegistryOverview) -> ServiceMetrics {
        ServiceMetrics(
            service: service,
            overview: overview,
            oldestSequence: registry.events(after: .max - 1, limit: 0).oldest,
            probing: probes?.statistics,
            traffic: probes?.trafficStatus ?? .off,
            anchors: registry.anchors,
            uplinks: registry.uplinks,
            incidents: registry.incidentTally,
            subscribers: feed.streamCount,
            pendingWrites: pendingWrites.load(ordering: .relaxed),
            scrapes: probeScrapes.counts,
            rollups: past?.rollupStatus,
            receivers: notifications?.statuses ?? [],
            fleet: wiring.fleet(),
            skippedFleetRollups: fleetView?.skippedRollups ?? 0,
            facts: wiring.facts()
        )
    }

    static func metricsHeaders(_ format: MetricsFormat) -> [HTTPHeader] {
        [
            HTTPHeader("Content-Type", format.contentType), HTTPHeader("Cache-Control", "no-store"),
            HTTPHeader("Vary", "Accept, Accept-Encoding"), .noSniffing,
        ]
    }

    /// A complete answer, compressed if the client accepts that.
    static func answer(_ bytes: [UInt8], _ headers: [HTTPHeader], to request: HTTPRequest) -> HTTPResponse {
        if bytes.count >= CompressedBody.leastCount, request.acceptsGzip,
            let piece = GzipChunk(bytes)
        {
            let coding = HTTPHeader("Content-Encoding", "gzip")
            return HTTPResponse(status: 200, headers: headers + [coding], body: .bytes(GzipChunk.body(of: [piece])))
        }
        return HTTPResponse(status: 200, headers: headers, body: .bytes(bytes))
    }
}
