// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc
import LinuxIO
import Synchronization

/// The server's thread: waits, runs the library, answers requests, passes streams to the broadcaster.
@safe final class ServerLoop: Sendable {
    /// The listening addresses, with the ports that the kernel chose.
    let addresses: [ListenAddress]
    /// Writes the streams.
    let broadcaster: StreamBroadcaster
    private let settings: HTTPServerSettings
    private let handler: @Sendable (HTTPRequest) -> HTTPResponse
    private let inbox: ServerInbox
    /// The certificate of each socket.
    private let certificates: Mutex<[ServerCertificate?]>
    private let published = Mutex(HTTPServerStatistics())
    private let owner: ThreadOwner
    private let threadState: ThreadConfined<Confined>
    private var confined: Confined { threadState.value }

    /// State that only the server's thread uses once it runs.
    @safe private final class Confined {
        var server: OpaquePointer?
        var hijacked = 0
        /// Deferred requests without an answer yet.
        var deferred: [UInt: ExchangeHandle] = [:]
        var isStopping = false
        /// The last turn: a request suspended in it could not be resumed.
        var isOver = false
        var validHost = ""
        var statistics = HTTPServerStatistics()
    }

    /// Binds, listens and starts the threads.
    init(
        settings: HTTPServerSettings,
        handler: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws(HTTPServerError) {
        self.settings = settings
        self.handler = handler
        owner = ThreadOwner()
        threadState = ThreadConfined(Confined(), to: owner)
        do throws(SystemError) {
            inbox = try ServerInbox()
            broadcaster = try StreamBroadcaster(settings: settings, inbox: inbox)
        } catch {
            throw HTTPServerError(error)
        }
        var listeners: [ListenSocket] = []
        var certificates: [ServerCertificate?] = []
        do throws(HTTPServerError) {
            for listener in settings.listeners {
                certificates.append(try listener.certificate.map(ServerCertificate.init))
            }
            listeners = try Self.listen(settings)
        } catch {
            broadcaster.close()
            throw error
        }
        self.certificates = Mutex(certificates)
        addresses = listeners.map(\.address)
        do throws(HTTPServerError) {
            try startLibrary(listeners, certificates)
        } catch {
            broadcaster.close()
            throw error
        }
        do throws(SystemError) {
            owner.thread = try Thread(name: "reachd-http") { [self] in run() }
        } catch {
            if let server = unsafe confined.server { unsafe reachd_http_server_destroy(server) }
            broadcaster.close()
            throw HTTPServerError(error)
        }
    }

    /// The statistics so far; any thread.
    var statistics: HTTPServerStatistics {
        var statistics = published.withLock { $0 }
        broadcaster.count(into: &statistics)
        return statistics
    }

    /// How many turns the responses get that are sent when the server ends.
    private static let lastTurns = 4

    /// Stops everything and waits for the threads; once.
    func stop(by deadline: UInt64) {
        inbox.stop(by: deadline)
        owner.thread?.end()
        owner.thread = nil
        broadcaster.close()
        for case .address(.unix(let path, _)) in settings.listeners.map(\.origin) { unsafe unlink(path) }
    }

    /// Reloads the files of all certificates; any thread but the server's.
    func reloadCertificates() -> [CertificateReload] {
        certificates.withLock { certificates in
            var reloads: [CertificateReload] = []
            for (index, listener) in settings.listeners.enumerated() {
                guard let files = listener.certificate else { continue }
                do throws(HTTPServerError) {
                    let new = try ServerCertificate(files)
                    // The same certificate implies the same key.
                    guard new.chain != certificates[index]?.chain else {
                        reloads.append(CertificateReload(files: files, outcome: .unchanged(expiry: new.expiry)))
                        continue
                    }
                    certificates[index] = new
                    inbox.show(new, at: index)
                    reloads.append(CertificateReload(files: files, outcome: .replaced(expiry: new.expiry)))
                } catch {
                    reloads.append(CertificateReload(files: files, outcome: .refused(error)))
                }
            }
            return reloads
        }
    }

    /// Runs a completion after a turn of the server's thread and then one of the broadcaster's.
    func ping(_ completion: @escaping @Sendable () -> Void) {
        inbox.execute { [broadcaster] in broadcaster.ping(completion) }
    }

    // MARK: Starting

    private static func listen(_ settings: HTTPServerSettings) throws(HTTPServerError) -> [ListenSocket] {
        guard settings.listeners.count <= 16 else {
            throw HTTPServerError(code: .invalidAddress, message: "more than 16 addresses to listen on")
        }
        var listeners: [ListenSocket] = []
        for listener in settings.listeners {
            do throws(HTTPServerError) {
                listeners.append(try socket(of: listener, settings))
            } catch {
                for listener in listeners { close(listener.descriptor) }
                throw error
            }
        }
        return listeners
    }

    private static func socket(
        of listener: Listener,
        _ settings: HTTPServerSettings
    ) throws(HTTPServerError) -> ListenSocket {
        switch listener.origin {
        case .address(let address):
            let isDualStack = !settings.listeners.contains { other in
                guard case .address(let other) = other.origin else { return false }
                return isIPv4(other, sharingPortOf: address)
            }
            return try ListenSocket(address, isDualStack: isDualStack, backlog: Int32(clamping: settings.backlog))
        case .inherited(let socket):
            do throws(SystemError) {
                return ListenSocket(descriptor: try socket.duplicate(), address: socket.address)
            } catch {
                throw HTTPServerError(error, address: socket.address)
            }
        }
    }

    private static func isIPv4(_ other: ListenAddress, sharingPortOf address: ListenAddress) -> Bool {
        guard case .tcp(let host, let port) = other, case .tcp(_, port) = address else { return false }
        return !host.contains(":") && host != "*"
    }

    /// Takes ownership of the listening sockets, also when it throws.
    private func startLibrary(
        _ listeners: [ListenSocket],
        _ certificates: [ServerCertificate?]
    ) throws(HTTPServerError) {
        // A write to a disconnected client must fail and not end the process.
        signal(SIGPIPE, SIG_IGN)
        var configuration = unsafe reachd_http_configuration(
            connection_limit: UInt32(clamping: settings.effectiveConnectionLimit),
            connection_limit_per_address: UInt32(clamping: settings.limits.connectionsPerAddress ?? 0),
            idle_timeout: UInt32(
                clamping: max(1, (settings.limits.idleTimeout.nanoseconds + 999_999_999) / 1_000_000_000)
            ),
            header_deadline: settings.limits.headerTimeout.nanoseconds,
            body_deadline: settings.limits.bodyTimeout.nanoseconds,
            pool_size: settings.effectivePoolSize,
            header_limit: settings.limits.headerSize,
            body_limit: settings.limits.bodySize,
            context: Unmanaged.passUnretained(self).toOpaque(),
            on_request: requestArrived,
            on_refusal: requestRefused,
            on_log: lineLogged
        )
        guard let server = unsafe reachd_http_server_create(&configuration, inbox.wake.number) else {
            let error = SystemError(code: errno, operation: "MHD_start_daemon")
            for listener in listeners { close(listener.descriptor) }
            throw HTTPServerError(error)
        }
        for (index, listener) in listeners.enumerated() {
            let certificate = unsafe certificates[index]?.pointer
            guard unsafe reachd_http_server_listen(server, listener.descriptor, certificate) < 0 else { continue }
            let error = SystemError(code: errno, operation: "MHD_start_daemon")
            for listener in listeners[index...] { close(listener.descriptor) }
            unsafe reachd_http_server_destroy(server)
            throw HTTPServerError(error)
        }
        unsafe confined.server = server
    }

    // MARK: The thread

    private func run() {
        guard let server = unsafe confined.server else { return }
        var wait = UInt64.max
        while true {
            unsafe reachd_http_server_turn(server, wait)
            let left = inbox.take()
            for exchange in left.released {
                unsafe reachd_http_exchange_release(exchange.pointer)
                confined.hijacked -= 1
            }
            for answer in left.answers { resume(answer.exchange, with: answer.response) }
            for (index, certificate) in left.certificates {
                unsafe reachd_http_server_certify(server, Int32(clamping: index), certificate.pointer)
            }
            for job in left.jobs { job() }
            let counters = unsafe reachd_http_server_counters(server)
            publish(counters)
            // The library handles returned connections only in its next pass.
            wait = left.released.isEmpty && left.answers.isEmpty ? UInt64.max : 0
            guard let deadline = left.stopDeadline else { continue }
            if !confined.isStopping {
                confined.isStopping = true
                unsafe reachd_http_server_quiesce(server)
                broadcaster.endAll()
            }
            guard left.streamsHaveEnded, confined.hijacked == 0 else { continue }
            let now = SystemMonotonicClock().now()
            if counters.requests_in_flight == 0 || now >= deadline { break }
            wait = min(wait, deadline - now)
        }
        confined.isOver = true
        for exchange in Array(confined.deferred.values) { resume(exchange, with: nil) }
        // A client that reads has its response after few; nobody waits for one that does not.
        for _ in 0..<Self.lastTurns { unsafe reachd_http_server_turn(server, 0) }
        unsafe confined.server = nil
        unsafe reachd_http_server_destroy(server)
    }

    private func publish(_ counters: reachd_http_counters) {
        confined.statistics.acceptedConnections = counters.accepted_connections
        confined.statistics.openConnections = counters.open_connections
        confined.statistics.slowConnections = counters.slow_connections
        confined.statistics.failedAccepts = counters.failed_accepts
        confined.statistics.requests = counters.requests
        let (statistics, refusals) = (confined.statistics, counters.library_refusals)
        published.withLock { published in
            published = statistics
            published.refusedRequests += refusals
        }
    }

    private func log(_ line: String) {
        guard let server = unsafe confined.server else { return }
        unsafe reachd_http_server_log(server, line)
    }

    // MARK: Requests

    fileprivate func answer(_ lent: UnsafePointer<reachd_http_request>, on exchange: ExchangeHandle) {
        let request = unsafe HTTPRequest(lent)
        guard isHostValid(request) else {
            return refuse(400, "the Host header is not a host with an optional port", on: exchange)
        }
        let response = handler(request)
        switch response.body {
        case .stream(let source):
            begin(source, response, isHead: request.method == HTTPMethod.head.rawValue, on: exchange)
        case .deferred(let deferred):
            hold(deferred, adding: response.headers, on: exchange)
        case .empty, .bytes, .prepared:
            reply(response, on: exchange)
        }
    }

    /// Suspends a request until its response is complete.
    private func hold(_ deferred: DeferredResponse, adding headers: [HTTPHeader], on exchange: ExchangeHandle) {
        guard !confined.isOver else { return reply(settings.refusal(503, "the service is stopping"), on: exchange) }
        unsafe reachd_http_exchange_defer(exchange.pointer)
        confined.deferred[exchange.id] = exchange
        deferred.deliver { [inbox] response in
            var response = response
            response?.headers += headers
            inbox.answer(exchange, with: response)
        }
    }

    /// Answers a suspended request.
    private func resume(_ exchange: ExchangeHandle, with response: HTTPResponse?) {
        guard confined.deferred.removeValue(forKey: exchange.id) != nil else { return }
        let response = Self.framed(response ?? settings.refusal(503, "the service is stopping"), on: exchange)
        let status = Self.sendableStatus(response)
        let made = LibraryResponse(copying: Self.bytes(of: response), headers: response.headers, log: log)
        if made == nil { log("a response could not be created, closing the connection") } else { count(status) }
        unsafe reachd_http_exchange_resume(exchange.pointer, UInt32(status), made?.pointer)
    }

    private static func sendableStatus(_ response: HTTPResponse) -> Int {
        (200...599).contains(response.status) ? response.status : 500
    }

    /// The bytes of a response that is neither a stream nor deferred.
    private static func bytes(of response: HTTPResponse) -> [UInt8] {
        switch response.body {
        case .bytes(let bytes): bytes
        case .prepared(let body): body.bytes
        case .empty, .stream, .deferred: []
        }
    }

    /// RFC 9112, section 3.2. Nearly all requests name the same host.
    private func isHostValid(_ request: HTTPRequest) -> Bool {
        if request.header("Host", is: confined.validHost) { return true }
        guard let host = request.header("Host") else { return true }
        guard HTTPAuthority(host) != nil else { return false }
        confined.validHost = host
        return true
    }

    fileprivate func refuse(_ refusal: reachd_http_refusal, on exchange: ExchangeHandle) {
        let (status, detail): (Int, String) =
            switch refusal {
            case reachd_http_refusal_ambiguous_length: (400, "the length of the request's body is ambiguous")
            case reachd_http_refusal_unknown_coding: (501, "only the transfer coding chunked is supported")
            case reachd_http_refusal_fields_too_large:
                (431, "the request's line and headers exceed \(settings.limits.headerSize) bytes")
            case reachd_http_refusal_body_too_large:
                (413, "the request's body exceeds \(settings.limits.bodySize) bytes")
            case reachd_http_refusal_too_slow: (408, "the request took too long to arrive")
            case reachd_http_refusal_chunk_line: (400, "the size line of a chunk is too long")
            case reachd_http_refusal_repeated_field: (400, "the request has more than one Host or Authorization header")
            case reachd_http_refusal_too_many_parameters: (431, "the request has more than 200 query parameters")
            default: (400, "the request is malformed")
            }
        let incomplete = [
            reachd_http_refusal_too_slow, reachd_http_refusal_chunk_line, reachd_http_refusal_too_many_parameters,
        ]
        guard incomplete.contains(refusal) else { return refuse(status, detail, on: exchange) }
        confined.statistics.refusedRequests += 1
        let response = settings.refusal(status, detail)
        // The library cannot answer an incomplete request, so the answer bypasses it.
        let body = Self.bytes(of: response)
        count(response.status)
        let head = ResponseHead.bytes(
            status: response.status,
            headers: response.headers,
            date: HTTPDate.now(),
            length: body.count
        )
        // If it does not fit into an empty socket's buffer, it is lost with a client that is being disconnected anyway.
        _ = StreamSocket(exchange).send(head + body)
    }

    private func refuse(_ status: Int, _ detail: String, on exchange: ExchangeHandle) {
        confined.statistics.refusedRequests += 1
        var response = settings.refusal(status, detail)
        response.headers.append(Self.closing)
        reply(response, on: exchange)
    }

    private static let closing = HTTPHeader("Connection", "close")

    /// A response that closes the connection if its request's body was chunked.
    private static func framed(_ response: HTTPResponse, on exchange: ExchangeHandle) -> HTTPResponse {
        guard unsafe reachd_http_exchange_is_chunked(exchange.pointer) != 0, !response.headers.contains(closing) else {
            return response
        }
        var response = response
        response.headers.append(closing)
        return response
    }

    private func reply(_ response: HTTPResponse, on exchange: ExchangeHandle) {
        let status = Self.sendableStatus(response)
        let response = Self.framed(response, on: exchange)
        let done: Bool? =
            switch response.body {
            case .prepared(let body):
                body.withResponse(headers: response.headers, log: log) { made in
                    unsafe reachd_http_exchange_reply(exchange.pointer, UInt32(status), made.pointer) == 0
                }
            case .bytes(let bytes): replyOnce(bytes, response.headers, status, exchange)
            case .empty, .deferred: replyOnce([], response.headers, status, exchange)
            case .stream(let source):
                // A stream makes no sense as a refusal, but its source must be notified of its end.
                { () -> Bool? in
                    source.didEnd()
                    return replyOnce([], response.headers, status, exchange)
                }()
            }
        guard done == true else { return log("a response could not be queued, closing the connection") }
        count(status)
    }

    private func replyOnce(
        _ bytes: [UInt8],
        _ headers: [HTTPHeader],
        _ status: Int,
        _ exchange: ExchangeHandle
    ) -> Bool? {
        guard let made = LibraryResponse(copying: bytes, headers: headers, log: log) else { return nil }
        defer { made.release() }
        return unsafe reachd_http_exchange_reply(exchange.pointer, UInt32(status), made.pointer) == 0
    }

    private func begin(_ source: any StreamSource, _ response: HTTPResponse, isHead: Bool, on exchange: ExchangeHandle)
    {
        guard !confined.isStopping, broadcaster.reserve(isExempt: source.isWholeResponse) else {
            source.didEnd()
            confined.statistics.refusedRequests += 1
            var refusal = settings.refusal(
                503,
                confined.isStopping ? "the service is stopping" : "all \(settings.limits.streams) streams are in use"
            )
            if !refusal.headers.contains(where: { $0.name.lowercased() == "retry-after" }) {
                refusal.headers.append(HTTPHeader("Retry-After", "\(settings.retryAfter)"))
            }
            return reply(refusal, on: exchange)
        }
        let head = ResponseHead.bytes(
            status: response.status,
            headers: response.headers,
            date: HTTPDate.now(),
            length: nil
        )
        count(response.status)
        confined.hijacked += 1
        unsafe reachd_http_exchange_hijack(exchange.pointer)
        broadcaster.begin(
            OpenStream(
                source,
                socket: StreamSocket(exchange),
                exchange: exchange,
                head: source.isWholeResponse ? [] : head,
                // A whole response omits its body for HEAD by itself.
                isHead: isHead && !source.isWholeResponse
            )
        )
    }

    private func count(_ status: Int) {
        guard (100...599).contains(status) else { return }
        confined.statistics.responsesByClass[status / 100 - 1] += 1
    }

    fileprivate func pass(_ line: UnsafePointer<CChar>) {
        settings.logger(unsafe String(cString: line))
    }
}

// MARK: Callbacks from C

private func loop(_ context: UnsafeMutableRawPointer) -> ServerLoop {
    // Unretained: the thread that runs the server holds the object until the server is gone.
    unsafe Unmanaged<ServerLoop>.fromOpaque(context).takeUnretainedValue()
}

private func requestArrived(
    _ context: UnsafeMutableRawPointer,
    _ exchange: OpaquePointer,
    _ request: UnsafePointer<reachd_http_request>
) {
    unsafe loop(context).answer(request, on: ExchangeHandle(pointer: exchange))
}

private func requestRefused(
    _ context: UnsafeMutableRawPointer,
    _ exchange: OpaquePointer,
    _ refusal: reachd_http_refusal
) {
    unsafe loop(context).refuse(refusal, on: ExchangeHandle(pointer: exchange))
}

private func lineLogged(_ context: UnsafeMutableRawPointer, _ line: UnsafePointer<CChar>) {
    unsafe loop(context).pass(line)
}
