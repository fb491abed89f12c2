// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl
import LinuxIO

/// Asks a server by HTTP and waits for what it says, by libcurl. Any thread.
package struct Asker: Sendable {
    /// An answer, read whole.
    package struct Answer: Sendable {
        /// The status.
        package let status: Int
        /// The body.
        package let body: [UInt8]
    }

    /// Where.
    package var place: AskedPlace
    /// The file of the authorities that are trusted; nil for the system's.
    package var authorities: String?
    /// Whether the server's certificate is verified.
    package var verifies = true
    /// What lets us in; printable ASCII.
    package var token: String?
    /// The time for a whole answer, or for the first bytes of a stream.
    package var timeout: Duration

    package init(_ place: AskedPlace, timeout: Duration) {
        self.place = place
        self.timeout = timeout
    }

    /// Gets an answer whole.
    ///
    /// - Parameters:
    ///   - path: The path and the query.
    ///   - limit: The most bytes of a body that are taken.
    package func get(_ path: String, limit: Int) throws(AskingError) -> Answer {
        let hearing = Hearing(limit: limit)
        let status = try ask(path, accept: "application/json", hearing, total: timeout)
        return Answer(status: status, body: hearing.body)
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
    /// - Throws: ``AskingError``, also for a stream that broke.
    package func stream(
        _ path: String,
        headers: [String],
        silence: Duration,
        idle: @escaping () -> Void = {},
        take: @escaping ([UInt8]) -> Bool
    ) throws(AskingError) -> Answer {
        let hearing = Hearing(limit: 65_536, silence: (timeout, silence), idle: idle, take: take)
        let status = try ask(path, accept: "text/event-stream", headers: headers, hearing, total: .zero)
        return Answer(status: status, body: hearing.body)
    }

    // MARK: libcurl

    private func ask(
        _ path: String,
        accept: String,
        headers: [String] = [],
        _ hearing: Hearing,
        total: Duration
    ) throws(AskingError) -> Int {
        guard reachd_curl_prepare() == 0 else { throw AskingError(.invalid, "libcurl cannot be started") }
        var lines = ["Accept: \(accept)", "User-Agent: reachd"] + headers
        if let token { lines.append("Authorization: Bearer \(token)") }
        let hearer = unsafe reachd_curl_hearer(
            context: Unmanaged.passUnretained(hearing).toOpaque(),
            body: { context, status, bytes, count in
                let hearing = unsafe Unmanaged<Hearing>.fromOpaque(context).takeUnretainedValue()
                let piece = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
                return hearing.hear(piece, status: Int(status)) ? 0 : 1
            },
            tick: { context in
                unsafe Unmanaged<Hearing>.fromOpaque(context).takeUnretainedValue().tick() ? 1 : 0
            }
        )
        var reply = reachd_curl_reply()
        let url = place.url + path
        // The hearing and all texts live until the call returns.
        let code = withExtendedLifetime(hearing) {
            unsafe Self.withTexts([url, place.unixSocket, authorities]) { texts in
                unsafe Self.withTexts(lines) { lines in
                    unsafe lines.withMemoryRebound(to: UnsafePointer<CChar>.self) { lines in
                        guard let url = unsafe texts[0] else { return reachd_curl_url_malformed.rawValue.code }
                        var question = unsafe reachd_curl_question(
                            url: url,
                            unix_socket: texts[1],
                            authorities: texts[2],
                            verifies: verifies ? 1 : 0,
                            headers: lines.baseAddress,
                            header_count: lines.count,
                            connect_milliseconds: timeout.wholeMilliseconds,
                            total_milliseconds: total.wholeMilliseconds
                        )
                        var hearer = unsafe hearer
                        return unsafe reachd_curl_ask(&question, &hearer, &reply)
                    }
                }
            }
        }
        guard code != 0 else { return Int(reply.status) }
        let detail = unsafe withUnsafeBytes(of: &reply.error) { bytes in
            unsafe PrintableBytes.escape(bytes.prefix { $0 != 0 }, limit: 256, keepingBackslash: true)
        }
        switch hearing.end {
        case .wanted: return Int(reply.status)
        case .tooLarge: throw AskingError(.tooLarge, "the answer is longer than \(hearing.limit) bytes")
        case .silent: throw AskingError(.timeout, "the stream has sent nothing for too long")
        case nil:
            let meaning = Self.meaning(of: code)
            // libcurl speaks of the URL's host and port, which nobody meant.
            if meaning == .unreachable, place.unixSocket != nil { throw AskingError(meaning, "nobody listens there") }
            throw AskingError(meaning, detail)
        }
    }

    private static func meaning(of code: Int32) -> AskingError.Code {
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

    private static func withTexts<Result>(
        _ texts: [String?],
        _ body: (UnsafeMutableBufferPointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = texts.map { text in text.map { Array($0.utf8CString) } ?? [] }
        var pointers: [UnsafePointer<CChar>?] = unsafe []
        func descend(_ index: Int) -> Result {
            guard index < copies.count else {
                return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0) }
            }
            return unsafe copies[index].withUnsafeBufferPointer { copy in
                unsafe pointers.append(copy.isEmpty ? nil : copy.baseAddress)
                return descend(index + 1)
            }
        }
        return descend(0)
    }
}

extension UInt32 {
    fileprivate var code: Int32 { Int32(bitPattern: self) }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { Int64(min(nanoseconds / 1_000_000, UInt64(Int32.max))) }
}
