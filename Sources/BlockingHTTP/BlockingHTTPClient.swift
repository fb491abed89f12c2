// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl
import LinuxIO

/// A blocking HTTP client on libcurl. Any thread.
package struct BlockingHTTPClient: Sendable {
    /// A complete response.
    package struct Answer: Sendable {
        /// The status.
        package let status: Int
        /// The header fields, in the order of the response.
        package let headers: [HTTPHeader]
        /// The body.
        package let body: [UInt8]

        /// The value of the first header field with a name, in any case; nil without one.
        package func header(_ name: String) -> String? {
            let name = name.lowercased()
            return headers.first { $0.name == name }?.value
        }
    }

    /// The service's endpoint.
    package var place: HTTPEndpoint
    /// The path of the CA file; nil for the system's CAs.
    package var authorities: String?
    /// Whether the server's certificate is verified.
    package var verifies = true
    /// The file of the client's certificate and its chain (PEM); nil for none.
    package var clientCertificate: String?
    /// The file of the certificate's key (PEM, not encrypted); nil if it is in the certificate's file.
    package var clientKey: String?
    /// The credentials; nil for none.
    package var authorization: HTTPAuthorization?
    /// The timeout of a complete response, or of the first bytes of a stream.
    package var timeout: Duration
    /// Asked about once a second, on the requesting thread; a request that it cancels throws ``HTTPClientError/Code/cancelled``.
    package var isCancelled: @Sendable () -> Bool = { false }

    package init(_ place: HTTPEndpoint, timeout: Duration) {
        self.place = place
        self.timeout = timeout
    }

    /// Returns a complete response.
    ///
    /// - Parameters:
    ///   - path: The path and the query.
    ///   - accept: The accepted content types, as in the header.
    ///   - headers: Further header lines.
    ///   - limit: The limit of the body in bytes.
    package func get(
        _ path: String,
        accept: String = "application/json",
        headers: [String] = [],
        limit: Int
    ) throws(HTTPClientError) -> Answer {
        let response = BlockingHTTPResponse(limit: limit, isCancelled: isCancelled)
        let status = try ask(path, accept: accept, headers: headers, response, total: timeout)
        return Answer(status: status, headers: response.headers, body: response.body)
    }

    /// Sends a merge patch (RFC 7396) and returns the complete response.
    ///
    /// - Parameters:
    ///   - path: The path and the query.
    ///   - body: The patch, JSON in UTF-8.
    ///   - limit: The limit of the response's body in bytes.
    package func patch(_ path: String, body: [UInt8], limit: Int) throws(HTTPClientError) -> Answer {
        let response = BlockingHTTPResponse(limit: limit, isCancelled: isCancelled)
        let status = try ask(
            path,
            accept: "application/json",
            headers: ["Content-Type: application/merge-patch+json", "Expect:"],
            change: (method: "PATCH", body: body),
            response,
            total: timeout
        )
        return Answer(status: status, headers: response.headers, body: response.body)
    }

    /// Reads a stream until it ends.
    ///
    /// - Parameters:
    ///   - path: The path and the query.
    ///   - accept: The accepted content types, as in the header.
    ///   - headers: Further header lines.
    ///   - opening: The longest pause before the first bytes; nil for ``timeout``.
    ///   - silence: The longest pause after the first bytes.
    ///   - idle: Called about once a second while nothing arrives.
    ///   - take: Receives each chunk; returns false to end the stream.
    /// - Returns: The status; for one other than 200 also up to 64 KiB of the body, which `take` does not receive.
    /// - Throws: ``HTTPClientError``, also when the stream breaks.
    package func stream(
        _ path: String,
        accept: String = "text/event-stream",
        headers: [String],
        opening: Duration? = nil,
        silence: Duration,
        idle: @escaping () -> Void = {},
        take: @escaping ([UInt8]) -> Bool
    ) throws(HTTPClientError) -> Answer {
        let response = BlockingHTTPResponse(
            limit: 65_536,
            silence: (opening ?? timeout, silence),
            idle: idle,
            isCancelled: isCancelled,
            take: take
        )
        let status = try ask(path, accept: accept, headers: headers, response, total: .zero)
        return Answer(status: status, headers: response.headers, body: response.body)
    }

    // MARK: libcurl

    private func ask(
        _ path: String,
        accept: String,
        headers: [String] = [],
        change: (method: String, body: [UInt8])? = nil,
        _ response: BlockingHTTPResponse,
        total: Duration
    ) throws(HTTPClientError) -> Int {
        guard reachd_curl_prepare() == 0, let easy = unsafe reachd_curl_easy_create() else {
            throw HTTPClientError(.invalid, "libcurl failed to initialize")
        }
        defer {
            unsafe response.easy = nil
            unsafe reachd_curl_easy_destroy(easy)
        }
        unsafe response.easy = easy
        var waiter = unsafe reachd_curl_waiter(
            context: Unmanaged.passUnretained(response).toOpaque(),
            header: { context, bytes, count in
                let response = unsafe Unmanaged<BlockingHTTPResponse>.fromOpaque(context).takeUnretainedValue()
                return unsafe response.receive(line: Array(UnsafeBufferPointer(start: bytes, count: count))) ? 0 : 1
            },
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
        if let clientCertificate { texts.append((reachd_curl_client_certificate, clientCertificate)) }
        if let key = clientKey ?? clientCertificate { texts.append((reachd_curl_client_key, key)) }
        texts += ["Accept: \(accept)", "User-Agent: reachd"].map { (reachd_curl_header, $0) }
        texts += headers.map { (reachd_curl_header, $0) }
        switch try authorization?.credentials() {
        case .bearer(let token): texts.append((reachd_curl_header, "Authorization: Bearer \(token)"))
        case .basic(let user, let password):
            texts += [(reachd_curl_user, user), (reachd_curl_password, password)]
        case nil: break
        }
        var code: Int32 = 0
        if let change {
            // The method last: a body makes libcurl choose POST.
            code = unsafe reachd_curl_easy_set_body(easy, change.body, change.body.count)
            texts.append((reachd_curl_method, change.method))
        }
        for (option, text) in texts where code == 0 { code = unsafe reachd_curl_easy_set(easy, option, text) }
        // libcurl holds an unretained reference until the call returns.
        if code == 0 { code = withExtendedLifetime(response) { unsafe reachd_curl_easy_perform(easy) } }
        guard code != 0 else { return response.status }
        let error = unsafe String(cString: reachd_curl_easy_error(easy))
        let words = error.isEmpty ? unsafe String(cString: reachd_curl_words(code)) : error
        let detail = PrintableBytes.escape(words.utf8, limit: 256, keepingBackslash: true)
        switch response.end {
        case .wanted: return response.status
        case .tooLarge: throw HTTPClientError(.tooLarge, "the response is larger than \(response.limit) bytes")
        case .silent: throw HTTPClientError(.timeout, "the stream was silent for too long")
        case .cancelled: throw HTTPClientError(.cancelled, "the request was cancelled")
        case nil:
            let meaning = Self.meaning(of: code)
            // libcurl's message names the URL's host and port, which are meaningless with a socket.
            if meaning == .unreachable, place.unixSocket != nil {
                throw HTTPClientError(meaning, "no server is listening on the socket")
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
        case reachd_curl_certificate_problem.rawValue: .credentials
        case reachd_curl_url_malformed.rawValue: .invalid
        default: .garbled
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { Int64(min(nanoseconds / 1_000_000, UInt64(Int32.max))) }
}

/// The address of a service.
package struct HTTPEndpoint: Sendable, Hashable {
    /// The base URL, `http://127.0.0.1:7532` and the base path, without a trailing slash.
    package let url: String
    /// The path of the socket that replaces the URL's host.
    package let unixSocket: String?

    /// Creates an endpoint from a base URL.
    package init(url: String) {
        self.url = url
        unixSocket = nil
    }

    /// Creates an endpoint from a socket.
    ///
    /// - Parameters:
    ///   - unixSocket: The socket's path.
    ///   - basePath: The prefix of all routes, without a trailing slash.
    package init(unixSocket: String, basePath: String = "") {
        url = "http://localhost" + basePath
        self.unixSocket = unixSocket
    }
}

extension HTTPEndpoint: CustomStringConvertible {
    /// The value of `--url`.
    package var description: String { unixSocket.map { "unix:\($0)" } ?? url }
}

/// The error of a request without a usable response.
package struct HTTPClientError: Error, Sendable, Hashable {
    /// The kinds of errors.
    package enum Code: Sendable, Hashable {
        /// The connection is refused, or the host name has no address.
        case unreachable
        /// The server accepts connections but does not respond in time.
        case timeout
        /// The server's certificate is not trusted.
        case insecure
        /// The CA file cannot be used.
        case authorities
        /// TLS failed in another way: the server does not speak it, or there is no common version.
        case handshake
        /// The response is not HTTP, or ended too early.
        case garbled
        /// The response exceeds the limit.
        case tooLarge
        /// The request is invalid.
        case invalid
        /// A file of the credentials cannot be used.
        case credentials
        /// The client cancelled the request.
        case cancelled
    }

    /// The kind.
    package let code: Code
    /// The details, mostly libcurl's message.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}
