// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import JSON
import Monitoring

/// The event stream.
extension RequestHandler {
    /// - Parameter feed: the log of the requested scope.
    func events(
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        from feed: EventRenderCache,
        isHead: Bool
    ) -> HTTPResponse {
        let query = EventQuery(&reader)
        let isSnapshotWanted = reader.boolean("snapshot")
        let isFollowing = !reader.isGiven("follow") || reader.boolean("follow")
        let start = streamStart(request, &reader, of: feed.source)
        guard reader.faults.isEmpty else { return Problem.invalid(reader.faults) }
        let headers = [
            HTTPHeader("Content-Type", "text/event-stream"), HTTPHeader("Cache-Control", "no-cache"),
            .noSniffing,
            // Without it a proxy buffers events.
            HTTPHeader("X-Accel-Buffering", "no"),
        ]
        if isHead { return HTTPResponse(status: 200, headers: headers) }
        let stream = EventStream(
            feed: feed,
            query: query,
            start: start,
            isSnapshotWanted: isSnapshotWanted,
            isFollowing: isFollowing,
            version: service.version,
            clock: clock
        )
        return HTTPResponse(status: 200, headers: headers, body: .stream(stream))
    }

    /// A ticket for a stream, for clients that cannot send headers.
    func ticket() -> HTTPResponse {
        var writer = JSONWriter()
        writer.object {
            $0.member("ticket", gate.tickets.issue())
            $0.member("expires_in_seconds", TicketIssuer.lifetime)
        }
        return HTTPResponse(status: 200, headers: Self.fresh, body: .bytes(writer.bytes))
    }

    /// The header wins over the query: a browser sends both when it reconnects, and only the header is current.
    private func streamStart(
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        of source: any EventSource
    ) -> @Sendable () -> StreamStart {
        let since = reader.one("since")
        let parsed = since.flatMap(EventID.init(parsing:))
        if since != nil, parsed == nil { reader.fault("since", "`<epoch>-<sequence>` is required.") }
        if let text = request.header("Last-Event-ID"), !text.isEmpty {
            guard let id = EventID(parsing: text) else { return { .reset(.malformed, requested: text) } }
            return { StreamStart(at: id, text: text, in: source.extent) { .resumed($0) } }
        }
        guard let since, let parsed else { return { .now } }
        return { StreamStart(at: parsed, text: since, in: source.extent) { .since($0) } }
    }
}
