// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import LinuxIO
import Synchronization

/// A list of targets that an HTTP server has, in the format of Prometheus' HTTP service discovery.
package final class HTTPSource: DiscoverySource {
    /// The largest list in bytes.
    package static let limit = 16 << 20

    private let source: PolledSource

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - pauses: how it waits; tests do not.
    ///   - decode: reads a list.
    package init(
        _ settings: HTTPSourceSettings,
        pauses: any SourcePauses = SystemPauses(),
        decode: @escaping @Sendable ([UInt8]) throws(SourceError) -> [DiscoveredItem]
    ) {
        let last = LastBody()
        let refresh = "X-Prometheus-Refresh-Interval-Seconds: \(settings.refresh.components.seconds)"
        source = PolledSource(
            on: SourceThread(name: "reachd-http-sd", pauses: pauses),
            every: settings.refresh
        ) { thread throws(SourceError) in
            let body = try Self.body(settings, headers: [refresh], thread)
            guard last.bytes != body else { return PolledSource.Look(items: nil) }
            let items = try decode(body)
            last.bytes = body
            return PolledSource.Look(items: items)
        }
    }

    /// See the protocol.
    package func start(_ report: @escaping @Sendable (SourceReport) -> Void) { source.start(report) }

    /// See the protocol.
    package func stop() { source.stop() }

    /// Requests the list.
    private static func body(
        _ settings: HTTPSourceSettings,
        headers: [String],
        _ thread: SourceThread
    ) throws(SourceError) -> [UInt8] {
        var client = settings.client
        client.isCancelled = { thread.isStopped }
        let answer: BlockingHTTPClient.Answer
        do throws(HTTPClientError) {
            answer = try client.get("", headers: headers, limit: limit)
        } catch {
            throw SourceError(error)
        }
        guard answer.status == 200 else { throw SourceError(status: answer.status) }
        guard isJSON(answer.header("Content-Type") ?? "") else {
            let type = PrintableBytes.quote((answer.header("Content-Type") ?? "").utf8)
            throw SourceError(.malformed, "the response is of the type \(type), and not application/json")
        }
        return answer.body
    }

    /// Whether a content type is one that Prometheus accepts.
    private static func isJSON(_ type: String) -> Bool {
        let parts = type.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { part in
            part.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        }
        return parts == ["application/json"] || parts == ["application/json", "charset=utf-8"]
    }
}

/// The list that was read last, so that an unchanged one costs only its transfer.
private final class LastBody: Sendable {
    private let stored = Mutex<[UInt8]?>(nil)

    var bytes: [UInt8]? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
