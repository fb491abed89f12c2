// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc
package import LinuxIO
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
    package func ping(_ completion: @escaping @Sendable () -> Void) {
        running?.ping(completion)
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

/// Why a server could not start.
package struct HTTPServerError: Error, Sendable, Hashable {
    /// What kind of reason; stable.
    package struct Code: Sendable, Hashable {
        private let name: String

        /// The text is neither an address with a port nor a unix socket's path.
        package static let invalidAddress = Code(name: "invalid_address")
        /// Another socket listens there.
        package static let addressInUse = Code(name: "address_in_use")
        /// The machine has no such address, or the path's directory does not exist.
        package static let addressNotAvailable = Code(name: "address_not_available")
        /// The process may not listen there.
        package static let permissionDenied = Code(name: "permission_denied")
        /// A descriptor that was handed over is no listening stream socket.
        package static let unusableSocket = Code(name: "unusable_socket")
        /// A certificate or its key cannot be read, or not be used, or not with one another.
        package static let unusableCertificate = Code(name: "unusable_certificate")
        /// The server runs or ran already.
        package static let alreadyStarted = Code(name: "already_started")
        /// A system call or the HTTP library failed otherwise.
        package static let system = Code(name: "system")
    }

    /// What kind of reason.
    package let code: Code
    /// The reason in words, with the address.
    package let message: String

    init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    init(_ error: SystemError, address: ListenAddress) {
        code =
            switch error.code {
            case EADDRINUSE: .addressInUse
            case EADDRNOTAVAIL, ENOENT, ENOTDIR, EAFNOSUPPORT, ENAMETOOLONG, ENODEV: .addressNotAvailable
            case EACCES, EPERM, EROFS: .permissionDenied
            default: .system
            }
        message = "\(address): \(error)"
    }

    init(_ error: SystemError) {
        code = .system
        message = "\(error)"
    }
}

extension HTTPServerError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}

/// What a server did so far.
package struct HTTPServerStatistics: Sendable, Hashable {
    /// Connections accepted.
    package var acceptedConnections: UInt64 = 0
    /// Connections open now, streams among them.
    package var openConnections: UInt64 = 0
    /// Connections ended because a request took too long to come.
    package var slowConnections: UInt64 = 0
    /// Times that no connection could be accepted for lack of descriptors or memory.
    package var failedAccepts: UInt64 = 0
    /// Requests whose header was complete.
    package var requests: UInt64 = 0
    /// Answers by the first figure of their status; index 0 is 1xx.
    package var responsesByClass: [UInt64] = [0, 0, 0, 0, 0]
    /// Requests that no route saw, because the server refused them.
    package var refusedRequests: UInt64 = 0
    /// Streams open now.
    package var openStreams: UInt64 = 0
    /// Streams begun.
    package var startedStreams: UInt64 = 0
    /// Streams ended because their client took nothing.
    package var stalledStreams: UInt64 = 0
    /// Bytes written to streams.
    package var streamedBytes: UInt64 = 0

    /// Creates statistics in which nothing has happened.
    package init() {}
}

extension SystemLibrary {
    /// What ``HTTPServer`` reads requests with.
    package static var microHTTPD: SystemLibrary {
        SystemLibrary(
            "libmicrohttpd",
            version: unsafe String(cString: reachd_http_library_version()),
            supported: [Series("0.9.75"), Series("1.0")]
        )
    }
}
