// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import Synchronization
import TestSupport

/// An engine's API on a unix socket, with recorded responses: a list, and a stream of events.
final class RecordedEngine: Sendable {
    private struct State {
        var list = RecordedContainers.docker
        var listStatus = 200
        var eventsStatus = 200
        var feeds: [EventFeed] = []
    }

    /// What was requested: paths with their queries.
    let requests = Recorder<String>()
    let socket: String
    private let folder: TemporaryFolder
    private let state = Mutex(State())
    private let server = Mutex<HTTPServer?>(nil)

    init() throws {
        folder = try TemporaryFolder()
        socket = folder.path(of: "engine.sock")
        var settings = HTTPServerSettings(listen: [.unix(path: socket, mode: 0o600)])
        settings.limits.idleTimeout = .seconds(3600)
        let server = HTTPServer(settings: settings) { [unowned self] in respond($0) }
        try server.start()
        self.server.withLock { $0 = server }
    }

    /// Ends the server.
    func close() {
        server.withLock { server in
            server?.stop(deadline: .zero)
            server = nil
        }
    }

    /// The list that is served.
    var list: String {
        get { state.withLock { $0.list } }
        set { state.withLock { $0.list = newValue } }
    }

    /// The statuses of lists and streams.
    func respond(list: Int = 200, events: Int = 200) {
        state.withLock { state in
            state.listStatus = list
            state.eventsStatus = events
        }
    }

    /// Sends an event on all streams.
    func emit(_ event: String) {
        for feed in state.withLock({ $0.feeds }) { feed.add(.bytes(Array(event.utf8))) }
        server.withLock { $0 }?.wakeStreams()
    }

    /// Ends all streams.
    func endStreams() {
        let feeds = state.withLock { state in
            defer { state.feeds = [] }
            return state.feeds
        }
        for feed in feeds { feed.add(.end([])) }
        server.withLock { $0 }?.wakeStreams()
    }

    private func respond(_ request: HTTPRequest) -> HTTPResponse {
        let path = request.path + (request.query.map { "?\($0)" } ?? "")
        let json = HTTPHeader("Content-Type", "application/json")
        let response = state.withLock { state -> HTTPResponse in
            switch request.path {
            case "/containers/json" where state.listStatus == 200:
                return HTTPResponse(status: 200, headers: [json], body: .bytes(Array(state.list.utf8)))
            case "/events" where state.eventsStatus == 200:
                let feed = EventFeed()
                state.feeds.append(feed)
                return HTTPResponse(status: 200, headers: [json], body: .stream(feed))
            case "/containers/json": return HTTPResponse(status: state.listStatus, body: .empty)
            case "/events": return HTTPResponse(status: state.eventsStatus, body: .empty)
            default: return HTTPResponse(status: 404, body: .empty)
            }
        }
        requests.record(path)
        return response
    }
}

/// A stream that sends what a test adds.
private final class EventFeed: StreamSource {
    private let chunks = Mutex<[StreamChunk]>([])
    let heartbeat: [UInt8] = Array("\n".utf8)

    func add(_ chunk: StreamChunk) { chunks.withLock { $0.append(chunk) } }

    func next() -> StreamChunk { chunks.withLock { $0.isEmpty ? .idle : $0.removeFirst() } }

    func didEnd() {}
}
