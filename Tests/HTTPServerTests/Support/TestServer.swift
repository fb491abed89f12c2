// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import HTTPServer
import Synchronization
import Testing

/// A server on a free port of the loopback, ended with the test.
final class TestServer {
    let server: HTTPServer
    let lines: Lines

    /// The log's lines.
    final class Lines: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ line: String) { list.withLock { $0.append(line) } }
    }

    init(
        _ listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 0)],
        handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse = echo,
        adjust: (inout HTTPServerSettings) -> Void = { _ in }
    ) throws {
        let lines = Lines()
        self.lines = lines
        var settings = HTTPServerSettings(listen: listen)
        // Under a sanitizer a test may not have its turn for longer than the default.
        settings.limits.idleTimeout = .seconds(3600)
        settings.logger = { lines.add($0) }
        settings.refusal = { status, detail in
            HTTPResponse(
                status: status,
                headers: [HTTPHeader("Content-Type", "application/problem+json")],
                body: .bytes(Array("{\"status\":\(status),\"detail\":\"\(detail)\"}".utf8))
            )
        }
        adjust(&settings)
        server = HTTPServer(settings: settings, handler: handler)
        try server.start()
    }

    deinit {
        server.stop(deadline: .zero)
    }

    /// Whether that many connections came and all of them went. The counters are published after the fact, so both
    /// are needed: none is open before the first was counted, too.
    func isEmpty(after accepted: Int) -> Bool {
        let statistics = server.statistics
        return statistics.acceptedConnections == accepted && statistics.openConnections == 0
    }

    func client(receiveBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: server.port, receiveBuffer: receiveBuffer)
    }
}

/// Answers with what came: method, path, query and body, one a line.
@Sendable func echo(_ request: HTTPRequest) -> HTTPResponse {
    let text = "\(request.method)\n\(request.path)\n\(request.query ?? "-")\n"
    return HTTPResponse(
        status: 200,
        headers: [HTTPHeader("Content-Type", "text/plain")],
        body: .bytes(Array(text.utf8) + request.body)
    )
}

/// Waits for something that has no event of its own: a counter that another thread publishes.
func eventually(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async {
    let start = ContinuousClock.now
    while !condition() {
        guard ContinuousClock.now - start < .seconds(600) else {
            Issue.record("never came true: \(what)", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
        sched_yield()
    }
}
