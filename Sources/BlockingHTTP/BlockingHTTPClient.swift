// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl
import LinuxIO

/// Asks a server by HTTP and waits for what it says, by libcurl. Any thread.
package struct BlockingHTTPClient: Sendable {
    /// An answer, read whole.
    package struct Answer: Sendable {
        /// The status.
        package let status: Int
        /// The body.
        package let body: [UInt8]
    }

    /// Where.
    package var place: HTTPEndpoint
    /// The file of the authorities that are trusted; nil for the system's.
    package var authorities: String?
    /// Whether the server's certificate is verified.
    package var verifies = true
    /// What lets us in; printable ASCII.
    package var token: String?
    /// The time for a whole answer, or for the first bytes of a stream.
    package var timeout: Duration

    package init(_ place: HTTPEndpoint, timeout: Duration) {
        self.place = place
        self.timeout = timeout
    }

    /// Gets an answer whole.
    ///
    /// - Parameters:
    ///   - path: The path and the query.
    ///   - limit: The most bytes of a body that are taken.
    package func get(_ path: String, limit: Int) throws(HTTPClientError) -> Answer {
        let response = BlockingHTTPResponse(limit: limit)
        let status = try ask(path, accept: "application/json", response, total: timeout)
        return Answer(status: status, body: response.body)
    }

    /// Reads a stream until it ends.
    ///
    /// - Parameters:
    ///   - path: The path and the query.
    ///   - headers: Further header lines.
    ///   - silence: How long nothing may come after the first bytes.
    ///   - idle: Called about once a second while nothing comes.
    ///   - take: Gets each piece; false ends the stream.
    /// - Returns: The status. Unless it is 200, the body too, as far as 64 KiB, and `take` gets nothing.
    /// - Throws: ``HTTPClientError``, also for a stream that broke.
    package func stream(
        _ path: String,
        headers: [String],
        silence: Duration,
        idle: @escaping () -> Void = {},
        take: @escaping ([UInt8]) -> Bool
    ) throws(HTTPClientError) -> Answer {
        let response = BlockingHTTPResponse(limit: 65_536, silence: (timeout, silence), idle: idle, take: take)
        let status = try ask(path, accept: "text/event-stream", headers: headers, response, total: .zero)
        return Answer(status: status, body: response.body)
    }

    // MARK: libcurl

    private func ask(
        _ path: String,
        accept: String,
        headers: [String] = [],
        _ response: BlockingHTTPResponse,
        total: Duration
    ) throws(HTTPClientError) -> Int {
        guard reachd_curl_prepare() == 0, let easy = unsafe reachd_curl_easy_create() else {
            throw HTTPClientError(.invalid, "libcurl cannot be started")
        }
        defer {
            unsafe response.easy = nil
            unsafe reachd_curl_easy_destroy(easy)
        }
        unsafe response.easy = easy
        var waiter = unsafe reachd_curl_waiter(
            context: Unmanaged.passUnretained(response).toOpaque(),
            body: { context, bytes, count in
                let response = unsafe Unmanaged<BlockingHTTPResponse>.fromOpaque(context).takeUnretainedValue()
                return unsafe response.receive(Array(UnsafeBufferPointer(start: bytes, count: count))) ? 0 : 1
            },
            tick: { context in
                unsafe Unmanaged<BlockingHTTPResponse>.fromOpaque(context).takeUnretainedValue().tick() ? 1 : 0
            }
        )
        unsafe reachd_curl_easy_prepare_to_wait(easy, &waiter)
        unsafe reachd_curl_easy_set_limits(easy, timeout.wholeMilliseconds, total.wholeMilliseconds)
        if !verifies { unsafe reachd_curl_easy_trust_all(easy) }
        var texts = [(reachd_curl_url, place.url + path)]
        if let socket = place.unixSocket { texts.append((reachd_curl_unix_socket, socket)) }
        if let authorities { texts.append((reachd_curl_authorities, authorities)) }
        texts += ["Accept: \(accept)", "User-Agent: reachd"].map { (reachd_curl_header, $0) }
        texts += headers.map { (reachd_curl_header, $0) }
        if let token { texts.append((reachd_curl_header, "Authorization: Bearer \(token)")) }
        var code: Int32 = 0
        for (option, text) in texts where code == 0 { code = unsafe reachd_curl_easy_set(easy, option, text) }
        // The hearing lives until the call returns.
        if code == 0 { code = withExtendedLifetime(response) { unsafe reachd_curl_easy_perform(easy) } }
        guard code != 0 else { return response.status }
        let error = unsafe String(cString: reachd_curl_easy_error(easy))
        let words = error.isEmpty ? unsafe String(cString: reachd_curl_words(code)) : error
        let detail = PrintableBytes.escape(words.utf8, limit: 256, keepingBackslash: true)
        switch response.end {
        case .wanted: return response.status
        case .tooLarge: throw HTTPClientError(.tooLarge, "the answer is longer than \(response.limit) bytes")
        case .silent: throw HTTPClientError(.timeout, "the stream has sent nothing for too long")
        case nil:
            let meaning = Self.meaning(of: code)
            // libcurl names the URL's host and port, which mean nothing with a socket.
            if meaning == .unreachable, place.unixSocket != nil {
                throw HTTPClientError(meaning, "nobody listens there")
            }
            throw HTTPClientError(meaning, detail)
        }
    }

    private static func meaning(of code: Int32) -> HTTPClientError.Code {
        switch UInt32(bitPattern: code) {
        case reachd_curl_couldnt_connect.rawValue, reachd_curl_couldnt_resolve_host.rawValue: .unreachable
        case reachd_curl_timed_out.rawValue: .timeout
        case reachd_curl_tls_connect_error.rawValue: .handshake
        case reachd_curl_peer_failed_verification.rawValue: .insecure
        case reachd_curl_ca_file.rawValue: .authorities
        case reachd_curl_url_malformed.rawValue: .invalid
        default: .garbled
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { Int64(min(nanoseconds / 1_000_000, UInt64(Int32.max))) }
}

/// Where a service is asked.
package struct HTTPEndpoint: Sendable, Hashable {
    /// `http://127.0.0.1:7532` and the path that all routes are below, without a slash at its end.
    package let url: String
    /// The socket to connect to in place of the URL's host.
    package let unixSocket: String?

    /// A server by its URL.
    package init(url: String) {
        self.url = url
        unixSocket = nil
    }

    /// A server by its socket.
    ///
    /// - Parameters:
    ///   - unixSocket: the socket's path.
    ///   - basePath: what all routes are below, without a slash at its end.
    package init(unixSocket: String, basePath: String = "") {
        url = "http://localhost" + basePath
        self.unixSocket = unixSocket
    }
}

extension HTTPEndpoint: CustomStringConvertible {
    /// As `--url` takes it.
    package var description: String { unixSocket.map { "unix:\($0)" } ?? url }
}

/// Why a question has no answer.
package struct HTTPClientError: Error, Sendable, Hashable {
    /// What happened.
    package enum Code: Sendable, Hashable {
        /// Nobody takes connections there, or its name has no address.
        case unreachable
        /// It takes connections and does not answer in time.
        case timeout
        /// Its certificate is not trusted.
        case insecure
        /// The file of the authorities cannot be used.
        case authorities
        /// TLS failed in another way: none is spoken there, or no version that both know.
        case handshake
        /// What it says is no HTTP, or ended too early.
        case garbled
        /// The answer is longer than what is taken.
        case tooLarge
        /// The question cannot be asked.
        case invalid
    }

    /// What happened.
    package let code: Code
    /// The same in libcurl's words.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
