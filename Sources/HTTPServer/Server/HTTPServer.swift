// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Synchronization

/// An HTTP/1.1 server over libmicrohttpd: one thread for requests, one for streams.
///
/// The handler is called on the server's thread, one request at a time, and must not wait for anything: whoever waits
/// in it lets all clients wait. Streams are written by the other thread, so a broadcast delays no request.
package final class HTTPServer: Sendable {
    private enum State {
        case idle
        case running(ServerLoop)
        case stopped(HTTPServerStatistics)
    }

    private let settings: HTTPServerSettings
    private let handler: @Sendable (HTTPRequest) -> HTTPResponse
    private let state = Mutex(State.idle)

    /// Creates a server that does not run yet.
    ///
    /// - Parameters:
    ///   - settings: Where to listen, and all limits.
    ///   - handler: Answers a complete request, on the server's thread.
    package init(settings: HTTPServerSettings, handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
        self.settings = settings
        self.handler = handler
    }

    deinit {
        stop(deadline: .zero)
    }

    /// Listens and starts the threads; once. Sets the process to ignore SIGPIPE.
    ///
    /// - Throws: ``HTTPServerError``; nothing stays open then.
    package func start() throws(HTTPServerError) {
        try state.withLock { state throws(HTTPServerError) in
            guard case .idle = state else {
                throw HTTPServerError(code: .alreadyStarted, message: "the server was started before")
            }
            state = .running(try ServerLoop(settings: settings, handler: handler))
        }
    }

    /// The addresses that are listened on, with the ports that the kernel chose; none unless the server runs.
    package var addresses: [ListenAddress] {
        running?.addresses ?? []
    }

    /// The first TCP port that is listened on; 0 when there is none.
    package var port: UInt16 {
        for case .tcp(_, let port) in addresses { return port }
        return 0
    }

    /// Says that sources may have new bytes: every stream whose client keeps up is asked. Any thread, returns at once;
    /// calls that come before the streams were asked are one.
    package func wakeStreams() {
        running?.broadcaster.wake()
    }

    /// Calls back when both threads have done the work that they had, as a sign that they take any; never when the server does
    /// not run. Any thread; the completion runs on one of the server's.
    package func roundTrip(_ completion: @escaping @Sendable () -> Void) {
        running?.roundTrip(completion)
    }

    /// Reads the files of all certificates again and shows the new ones to clients that connect from now on; open
    /// connections go on. A pair that cannot be used changes nothing. Any thread but the server's own.
    ///
    /// - Returns: What came of it, for each socket that has a certificate.
    package func reloadCertificates() -> [CertificateReload] {
        running?.reloadCertificates() ?? []
    }

    /// What happened so far. Any thread.
    package var statistics: HTTPServerStatistics {
        switch state.withLock({ $0 }) {
        case .idle: HTTPServerStatistics()
        case .running(let loop): loop.statistics
        case .stopped(let statistics): statistics
        }
    }

    /// Ends the server: closes the listening sockets, asks every stream's source a last time and ends the stream, lets
    /// requests that came be answered, closes all connections and waits for the threads. A second call does nothing.
    ///
    /// Not on a thread of the server, that is, neither in the handler nor in a source.
    /// - Parameter deadline: How long requests that are being read or answered may take.
    package func stop(deadline: Duration) {
        let loop = running
        guard let loop else { return }
        // Only one of two callers goes on.
        let isFirst = state.withLock { state in
            guard case .running = state else { return false }
            state = .stopped(loop.statistics)
            return true
        }
        guard isFirst else { return }
        loop.stop(by: SystemMonotonicClock().now() + deadline.nanoseconds)
        state.withLock { $0 = .stopped(loop.statistics) }
    }

    private var running: ServerLoop? {
        guard case .running(let loop) = state.withLock({ $0 }) else { return nil }
        return loop
    }
}
