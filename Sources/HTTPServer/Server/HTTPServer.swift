// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc
package import LinuxIO
import Synchronization

/// An HTTP/1.1 server over libmicrohttpd: one thread for requests, one for streams.
///
/// The handler is called on the server's thread, one request at a time, and must not block: that would block all
/// clients. Streams are written by the other thread, so a broadcast delays no request.
package final class HTTPServer: Sendable {
    private enum State {
        case idle
        case running(ServerLoop)
        case stopped(HTTPServerStatistics)
    }

    private let settings: HTTPServerSettings
    private let handler: @Sendable (HTTPRequest) -> HTTPResponse
    private let state = Mutex(State.idle)

    /// Creates a server without starting it.
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

    /// Listens and starts the threads; once. Makes the process ignore SIGPIPE.
    ///
    /// - Throws: ``HTTPServerError``; nothing stays open then.
    package func start() throws(HTTPServerError) {
        try state.withLock { state throws(HTTPServerError) in
            guard case .idle = state else {
                throw HTTPServerError(code: .alreadyStarted, message: "the server was already started")
            }
            state = .running(try ServerLoop(settings: settings, handler: handler))
        }
    }

    /// The listening addresses, with the ports that the kernel chose; empty unless the server runs.
    package var addresses: [ListenAddress] {
        running?.addresses ?? []
    }

    /// The first listening TCP port; 0 if there is none.
    package var port: UInt16 {
        for case .tcp(_, let port) in addresses { return port }
        return 0
    }

    /// Announces that sources may have new bytes: every stream whose client keeps up is polled. Any thread, returns
    /// immediately; calls before the poll are combined.
    package func wakeStreams() {
        running?.broadcaster.wake()
    }

    /// Calls back after both threads have finished their current work, as a sign of life; never if the server does not
    /// run. Any thread; the completion runs on one of the server's.
    package func ping(_ completion: @escaping @Sendable () -> Void) {
        running?.ping(completion)
    }

    /// Reloads the files of all certificates for new connections; open connections keep theirs. An unusable pair
    /// changes nothing. Any thread but the server's own.
    ///
    /// - Returns: The outcome for each socket that has a certificate.
    package func reloadCertificates() -> [CertificateReload] {
        running?.reloadCertificates() ?? []
    }

    /// The statistics so far. Any thread.
    package var statistics: HTTPServerStatistics {
        switch state.withLock({ $0 }) {
        case .idle: HTTPServerStatistics()
        case .running(let loop): loop.statistics
        case .stopped(let statistics): statistics
        }
    }

    /// Stops the server: closes the listening sockets, polls every stream's source a last time and ends the stream,
    /// finishes received requests, closes all connections and waits for the threads. A second call does nothing.
    ///
    /// Must not be called on a thread of the server, that is, in the handler or in a source.
    /// - Parameter deadline: The time limit for requests in progress; deferred responses that are not complete by then are 503.
    package func stop(deadline: Duration) {
        let loop = running
        guard let loop else { return }
        // Only the first of two callers continues.
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
    /// The kind of error; stable.
    package struct Code: Sendable, Hashable {
        private let name: String

        /// The text is neither an address with a port nor a unix socket's path.
        package static let invalidAddress = Code(name: "invalid_address")
        /// Another socket listens on the address.
        package static let addressInUse = Code(name: "address_in_use")
        /// The machine has no such address, or the path's directory does not exist.
        package static let addressNotAvailable = Code(name: "address_not_available")
        /// The process is not permitted to listen on the address.
        package static let permissionDenied = Code(name: "permission_denied")
        /// An inherited descriptor is not a listening stream socket.
        package static let unusableSocket = Code(name: "unusable_socket")
        /// A certificate or its key cannot be read or used, or the two do not match.
        package static let unusableCertificate = Code(name: "unusable_certificate")
        /// The server was already started.
        package static let alreadyStarted = Code(name: "already_started")
        /// Another failure of a system call or the HTTP library.
        package static let system = Code(name: "system")
    }

    /// The kind of error.
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

/// A server's statistics.
package struct HTTPServerStatistics: Sendable, Hashable {
    /// Connections accepted.
    package var acceptedConnections: UInt64 = 0
    /// Open connections, including streams.
    package var openConnections: UInt64 = 0
    /// Connections closed because a request took too long to arrive.
    package var slowConnections: UInt64 = 0
    /// How often no connection could be accepted for lack of descriptors or memory.
    package var failedAccepts: UInt64 = 0
    /// Requests with a complete header.
    package var requests: UInt64 = 0
    /// Answers by the first digit of their status; index 0 is 1xx, and five are used. Not an array: every turn copies the statistics.
    package var responsesByClass = SIMD8<UInt64>()
    /// Requests that the server refused before routing.
    package var refusedRequests: UInt64 = 0
    /// Open streams.
    package var openStreams: UInt64 = 0
    /// Streams begun.
    package var startedStreams: UInt64 = 0
    /// Streams closed because their client read nothing.
    package var stalledStreams: UInt64 = 0
    /// Bytes written to streams.
    package var streamedBytes: UInt64 = 0

    /// Creates statistics of zero.
    package init() {}
}

extension SystemLibrary {
    /// The library that reads requests.
    package static var microHTTPD: SystemLibrary {
        SystemLibrary(
            "libmicrohttpd",
            version: unsafe String(cString: reachd_http_library_version()),
            supported: [Series("0.9.75"), Series("1.0")]
        )
    }
}
