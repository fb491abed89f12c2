// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import CCurl
import COpenSSL
import Glibc
import LinuxIO

/// An active request and its libcurl callbacks. On the loop's thread. Callbacks must not call libcurl, so they only
/// record events.
@safe final class CurlTransfer {
    /// The limit of a response's headers, in bytes.
    static let headerLimit = 64 << 10

    let easy: OpaquePointer
    let request: CurlRequest
    private(set) var response = CurlResponse()
    /// Called once, outside libcurl; nil afterwards, or when cancelled.
    var completion: ((CurlResponse) -> Void)?
    private let loop: EventLoop
    private let opened: (Int32, CurlTransfer) -> SocketRelay.Events
    /// The sockets passed to libcurl.
    var descriptors: [Int32] = []
    /// The relay of the last socket.
    private var relay: SocketRelay?
    private var headerSize = 0
    /// The number of codings of the response's body.
    private var codings = 0
    /// Decompresses the response's body; nil for one that is not compressed.
    private var gzip: GzipBody?
    private var connectTime: UInt64?

    /// - Parameter opened: Receives the number of a socket passed to libcurl, and returns the receiver of its events.
    init(
        _ request: CurlRequest,
        easy: OpaquePointer,
        loop: EventLoop,
        opened: @escaping (Int32, CurlTransfer) -> SocketRelay.Events,
        completion: @escaping (CurlResponse) -> Void
    ) {
        unsafe self.easy = easy
        self.request = request
        self.loop = loop
        self.opened = opened
        self.completion = completion
    }

    /// Passes the request to libcurl.
    ///
    /// - Throws: ``ProbeFault`` when libcurl rejects it.
    func prepare() throws(ProbeFault) {
        var receiver = unsafe reachd_curl_receiver(
            context: Unmanaged.passUnretained(self).toOpaque(),
            open: { context, address, capacity, length in
                unsafe CurlTransfer.from(context).open(
                    UnsafeMutableRawBufferPointer(start: address, count: capacity),
                    &length.pointee
                )
            },
            header: { context, bytes, count in
                unsafe CurlTransfer.from(context).header(UnsafeBufferPointer(start: bytes, count: count)) ? 0 : 1
            },
            body: { context, bytes, count in
                unsafe CurlTransfer.from(context).body(UnsafeBufferPointer(start: bytes, count: count)) ? 0 : 1
            },
            secure: { context, sslContext in
                unsafe CurlTransfer.from(context).secure(sslContext) ? 0 : 1
            }
        )
        unsafe reachd_curl_easy_prepare(easy, &receiver)
        let peer = "\(HTTPURL.bracketed(request.address.description)):\(request.port)"
        try setURL()
        if request.usesProxy {
            try set(reachd_curl_proxy_url, "http://\(peer)")
        } else {
            try set(reachd_curl_connect_to, "::\(peer)")
        }
        if let login = request.proxyLogin {
            try set(reachd_curl_proxy_user, login.user)
            try set(reachd_curl_proxy_password, login.password)
        }
        if let login = request.login {
            try set(reachd_curl_user, login.user)
            try set(reachd_curl_password, login.password)
        }
        switch (request.method, request.body) {
        case ("GET", nil): break
        case ("HEAD", nil): unsafe reachd_curl_easy_set_head(easy)
        case (let method, let body):
            if let body {
                try check(unsafe reachd_curl_easy_set_body(easy, body, body.count))
            } else if method == "POST" || method == "PUT" || method == "PATCH" {
                try check(unsafe reachd_curl_easy_set_body(easy, nil, 0))
            }
            try set(reachd_curl_method, method)
        }
        if let cookies = request.cookies {
            unsafe reachd_curl_easy_keep_cookies(easy)
            for cookie in cookies { try set(reachd_curl_cookie, cookie) }
        }
        for line in request.headers {
            if let cookies = Self.value(of: "cookie", in: line) {
                // libcurl sends them with those that servers set, in one field.
                if !cookies.isEmpty { try set(reachd_curl_own_cookies, cookies) }
            } else {
                try set(reachd_curl_header, line)
            }
        }
        if request.acceptsCompression, !request.setsEncoding { try set(reachd_curl_header, "Accept-Encoding: gzip") }
        let version =
            switch request.version {
            case .any: reachd_curl_version_any
            case .http1: reachd_curl_version_1_1
            case .http2: reachd_curl_version_2
            }
        unsafe reachd_curl_easy_set_version(easy, version)
    }

    /// Records the connection, which libcurl cannot see: its own socket is connected from the start.
    func noteConnected(after time: UInt64) {
        if connectTime == nil { connectTime = time }
    }

    /// Reads the progress; call it before removing the transfer from its multi handle.
    func inform() {
        var information = reachd_curl_information()
        unsafe reachd_curl_easy_inform(easy, &information)
        response.status = Int(information.status)
        response.proxyStatus = Int(information.proxy_status)
        response.version = Int(information.version)
        response.connectionFault = relay?.fault
        response.isCutShort = relay?.isCutShort == true
        response.times = CurlTimes(
            connected: ownConnectTime,
            secured: information.secured,
            requested: information.requested,
            answered: information.answered,
            total: information.total
        )
    }

    /// The time in microseconds, at least one; 0 without a connection.
    private var ownConnectTime: Int64 { connectTime.map { max(1, Int64(clamping: $0 / 1_000)) } ?? 0 }

    /// Returns the complete response; call it before removing the transfer from its multi handle.
    func end(with code: Int32) -> CurlResponse {
        inform()
        response.code = code
        if request.cookies != nil { response.cookies = cookies }
        if code == 0, response.stop == nil, gzip?.isComplete == false {
            response.bodyFault = ProbeFault(reason: .badContentEncoding, detail: "the body's gzip is cut off")
        }
        if code != 0 {
            let error = unsafe String(cString: reachd_curl_easy_error(easy))
            let words = error.isEmpty ? unsafe String(cString: reachd_curl_words(code)) : error
            response.words = PrintableBytes.escape(words.utf8, limit: 200)
        }
        return response
    }

    /// Returns the response of a broken connection; call it before removing the transfer from its multi handle.
    func end(with fault: ProbeFault) -> CurlResponse {
        var response = end(with: Int32(reachd_curl_couldnt_connect.rawValue))
        response.words = fault.detail
        return response
    }

    /// Returns the response of a transfer that received too much; call it before removing it from its multi handle.
    func endExceeded() -> CurlResponse {
        response.stop = .receiveLimit
        return end(with: Int32(reachd_curl_receive_error.rawValue))
    }

    /// What the kernel knows of the connection; nil unless it is established.
    var stall: StalledConnection? { relay?.stall }

    /// Closes the connection; call it after removing the transfer from its multi handle.
    func closeConnection() {
        relay?.close()
        relay = nil
    }

    /// Records the first error on our side.
    func note(_ fault: ProbeFault) {
        if response.fault == nil { response.fault = fault }
    }

    // MARK: What libcurl calls

    private static func from(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
        unsafe Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    private func open(_ address: UnsafeMutableRawBufferPointer, _ length: inout Int) -> Int32 {
        do throws(ProbeFault) {
            if isRepeated, request.version == .http2 { throw Self.refused }
            let socket = try ProbeSocket(SOCK_STREAM, to: request.address, port: request.port, from: request.origin)
            let entrance = try RelayListener()
            // libcurl owns this socket, and does not always close it through the callback for that.
            let number = try entrance.makeFar()
            // A second socket is for a retried request; the first is no longer used.
            relay?.close()
            let relay = SocketRelay(socket, entrance, loop: loop, meter: request.meter, events: opened(number, self))
            self.relay = relay
            length = unsafe entrance.copyName(to: address)
            relay.start()
            return number
        } catch {
            note(error)
            return -1
        }
    }

    /// Whether this is not the first connection. libcurl retries a request that the server wants over HTTP/1.1 or
    /// without `Expect`, and up to five times one that an HTTP/2 server refused to process (RFC 9113, section 8.7).
    private var isRepeated: Bool { !descriptors.isEmpty }

    /// The fault reported for the last retry. libcurl's versions differ in which refusals they retry, and a first
    /// request on a fresh connection already has its answer.
    private static let refused = ProbeFault(
        reason: .httpProtocolError,
        detail: "the server refuses the request (HTTP/2: GOAWAY, REFUSED_STREAM or HTTP_1_1_REQUIRED)"
    )

    private func header(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        headerSize += line.count
        guard headerSize <= Self.headerLimit else {
            response.stop = .headerLimit
            return false
        }
        if unsafe line.starts(with: "HTTP/".utf8) {
            // Again: during the handshake some parameters were not negotiated yet.
            readReport()
            // A new response: the previous one was informational, such as "100 Continue".
            response.headers = []
            codings = 0
            gzip = nil
            response.foreignEncoding = nil
            response.contentType = nil
            response.location = nil
            response.retryAfter = nil
            response.contentLength = nil
            response.lastModified = nil
            return true
        }
        guard let colon = unsafe line.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let isType = unsafe Self.isName(line[..<colon], "content-type")
        let isLocation = unsafe Self.isName(line[..<colon], "location")
        let isRetryAfter = unsafe Self.isName(line[..<colon], "retry-after")
        let isLength = unsafe Self.isName(line[..<colon], "content-length")
        let isAge = unsafe Self.isName(line[..<colon], "last-modified")
        let isEncoding = unsafe Self.isName(line[..<colon], "content-encoding")
        if unsafe isEncoding || Self.isName(line[..<colon], "transfer-encoding") {
            guard unsafe takeCodings(line[(colon + 1)...], areOfContent: isEncoding) else { return false }
        }
        guard request.keepsHeaders || isType || isLocation || isLength || isAge || isRetryAfter else { return true }
        var value = unsafe Array(line[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 })
        while let last = value.last, [0x0D, 0x0A, 0x20, 0x09].contains(last) { value.removeLast() }
        if isType { response.contentType = value }
        if isLocation { response.location = value }
        if isRetryAfter { response.retryAfter = value }
        if isLength { response.contentLength = value }
        if isAge { response.lastModified = value }
        if request.keepsHeaders {
            let name = unsafe String(decoding: line[..<colon], as: UTF8.self).lowercased()
            response.headers.append((name, value))
        }
        return true
    }

    /// Takes the codings of a field; returns whether they may be decoded. libcurl decodes those of the transfer.
    ///
    /// The cost of one coding is bounded by its input and output. That of nested codings is not: 16 KiB of gzip can
    /// hold 16 MiB of empty gzip blocks, or of gzip that does. libcurl allows five.
    private func takeCodings(_ value: Slice<UnsafeBufferPointer<UInt8>>, areOfContent: Bool) -> Bool {
        let names = unsafe String(decoding: value, as: UTF8.self).lowercased()
            .split { ", \t\r\n".contains($0) }
            .filter { $0 != "chunked" && $0 != "identity" }
        codings += names.count
        guard codings <= 1 else {
            note(ProbeFault(reason: .httpProtocolError, detail: "the body is encoded more than once"))
            return false
        }
        guard areOfContent, let name = names.first else { return true }
        guard request.acceptsCompression, name == "gzip" || name == "x-gzip" else {
            let coding = PrintableBytes.escape(name.utf8, limit: 64)
            let flaw = request.setsEncoding ? "reachd does not decompress" : "was not asked for"
            response.foreignEncoding = "the server compresses with \(coding), which \(flaw)"
            return true
        }
        do throws(ProbeFault) {
            gzip = try GzipBody()
            return true
        } catch {
            note(error)
            return false
        }
    }

    private func body(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let gzip else { return unsafe take(bytes) }
        do throws(ProbeFault) {
            return try unsafe gzip.read(bytes, take)
        } catch {
            note(error)
            return false
        }
    }

    /// Takes a piece of the decompressed body.
    private func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let room = request.bodyLimit - response.bodySize
        if request.keepsBody { unsafe response.body.append(contentsOf: bytes.prefix(room)) }
        response.bodySize += min(room, bytes.count)
        guard bytes.count <= room else {
            response.stop = .bodyLimit
            return false
        }
        return true
    }

    private func secure(_ sslContext: UnsafeMutableRawPointer) -> Bool {
        guard let check = request.tls else { return false }
        let isLent = unsafe reachd_tls_context_lend(
            check.context.session,
            OpaquePointer(sslContext),
            { argument, chain in unsafe CurlTransfer.from(argument).judge(chain) },
            Unmanaged.passUnretained(self).toOpaque()
        )
        return isLent != 0
    }

    /// Reads the session during the handshake: libcurl frees it when the handshake fails.
    private func judge(_ chain: OpaquePointer) -> Int32 {
        guard let check = request.tls else { return -1 }
        let code = unsafe tlsCheckCalled(check.argument, chain)
        readReport()
        // A retry over HTTP/1.1 would not negotiate HTTP/2 again.
        if descriptors.count > 1, response.tls?.applicationProtocol == "h2" {
            note(Self.refused)
            return -1
        }
        return code
    }

    private func readReport() {
        guard let check = request.tls, let session = unsafe reachd_curl_easy_ssl(easy) else { return }
        response.tls = unsafe check.report(of: OpaquePointer(session))
    }

    private static func isName(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ name: StaticString) -> Bool {
        guard unsafe bytes.count == name.utf8CodeUnitCount else { return false }
        return unsafe zip(bytes, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            .allSatisfy { $0 | 0x20 == $1 }
    }

    /// The cookies that are known now, in libcurl's form; call it before removing the transfer from its multi handle.
    private var cookies: [String] {
        final class Lines { var list: [String] = [] }
        let lines = Lines()
        unsafe reachd_curl_easy_cookies(easy, Unmanaged.passUnretained(lines).toOpaque()) { context, line in
            unsafe Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().list.append(String(cString: line))
        }
        return lines.list
    }

    /// The value of a header line; nil for one of another name.
    private static func value(of name: String, in line: String) -> String? {
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else { return nil }
        return String(line[line.index(after: colon)...].drop { $0 == " " })
    }

    // MARK: Options

    /// Sets the URL. libcurl sends the URL's host as SNI: where another name is required it replaces the URL's host,
    /// and the header and a proxy get the original.
    private func setURL() throws(ProbeFault) {
        let url = request.url
        guard let name = request.tls?.name.addressee, name.lowercased() != url.host.lowercased()
        else {
            return try set(reachd_curl_url, url.description)
        }
        try set(reachd_curl_url, url.replacingHost(name).description)
        if request.usesProxy { try set(reachd_curl_connect_to, "::\(HTTPURL.bracketed(url.host)):\(url.port)") }
        if !request.headers.contains(where: { $0.lowercased().hasPrefix("host:") }) {
            try set(reachd_curl_header, "Host: \(url.authority)")
        }
    }

    private func set(_ option: reachd_curl_text, _ text: String) throws(ProbeFault) {
        try check(unsafe reachd_curl_easy_set(easy, option, text))
    }

    private func check(_ code: Int32) throws(ProbeFault) {
        guard code != 0 else { return }
        let words = unsafe String(cString: reachd_curl_words(code))
        throw ProbeFault(reason: .invalidRequest, detail: "libcurl rejected the request: \(words)")
    }
}

/// One request on one connection, without redirects.
struct CurlRequest {
    /// A user name and a secret.
    struct Login {
        let user: String
        let password: String
    }

    var url: HTTPURL
    var method = "GET"
    /// The header lines in libcurl's form.
    var headers: [String] = []
    var body: [UInt8]?
    var version = HTTPVersion.any
    var acceptsCompression = false
    /// Whether a header says which encodings are accepted.
    var setsEncoding: Bool { headers.contains { $0.lowercased().hasPrefix("accept-encoding") } }
    /// The cookies so far, in libcurl's form; nil to keep none.
    var cookies: [String]?
    var login: Login?
    /// The address to connect to: the target's or the proxy's.
    var address: IPAddress
    var port: UInt16
    var origin: ProbeOrigin
    /// Whether the connection is to a proxy, and its credentials.
    var usesProxy = false
    var proxyLogin: Login?
    /// The TLS verification; nil for a URL without TLS.
    var tls: TLSCheck?
    /// The maximum number of body bytes to read.
    var bodyLimit = 1 << 20
    /// Counts received bytes over all requests of an attempt.
    var meter: ReceiveMeter
    /// Whether headers and body are kept, not only counted.
    var keepsHeaders = false
    var keepsBody = false
}
