// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl
import LinuxIO

/// Collects one response, and decides when to end the transfer. On the requesting thread.
@safe final class BlockingHTTPResponse {
    /// The reason why the client ended the transfer.
    enum End {
        /// The receiver has what it needs.
        case wanted
        case tooLarge
        case silent
        case cancelled
    }

    /// The largest head in bytes, with those of interim responses.
    private static let headLimit = 256 << 10

    let limit: Int
    /// The transfer, which provides the status while it lasts.
    var easy: OpaquePointer?
    private(set) var body: [UInt8] = []
    private(set) var headers: [HTTPHeader] = []
    private var headSize = 0
    private(set) var end: End?
    /// The longest pauses: before the first chunk, and between later ones.
    private let silence: (first: Duration, later: Duration)?
    private var isFirst = true
    private let idle: () -> Void
    private let isCancelled: @Sendable () -> Bool
    private let take: (([UInt8]) -> Bool)?
    private var lastHeard = SystemMonotonicClock().now()

    init(
        limit: Int,
        silence: (first: Duration, later: Duration)? = nil,
        idle: @escaping () -> Void = {},
        isCancelled: @escaping @Sendable () -> Bool,
        take: (([UInt8]) -> Bool)? = nil
    ) {
        self.limit = limit
        self.silence = silence
        self.idle = idle
        self.isCancelled = isCancelled
        self.take = take
    }

    /// The status; 0 before the response line.
    var status: Int {
        guard let easy = unsafe easy else { return 0 }
        var information = reachd_curl_information()
        unsafe reachd_curl_easy_inform(easy, &information)
        return Int(information.status)
    }

    /// Receives a line of the head, and returns whether to continue.
    func receive(line: [UInt8]) -> Bool {
        headSize += line.count
        guard headSize <= Self.headLimit else {
            end = .tooLarge
            return false
        }
        // The status line begins a head; what an interim response had does not count.
        if line.starts(with: "HTTP/".utf8) {
            headers = []
        } else if let header = HTTPHeader(line: line) {
            headers.append(header)
        }
        return true
    }

    /// Receives a chunk, and returns whether to continue.
    func receive(_ piece: [UInt8]) -> Bool {
        lastHeard = SystemMonotonicClock().now()
        isFirst = false
        if let take, status == 200 {
            if !take(piece) { end = .wanted }
        } else if body.count + piece.count <= limit {
            body += piece
        } else {
            end = .tooLarge
        }
        return end == nil
    }

    /// Called periodically during the transfer.
    ///
    /// - Returns: Whether to end: the request was cancelled, or no body data arrived for too long, whatever else arrived.
    func tick() -> Bool {
        idle()
        if isCancelled() {
            end = .cancelled
            return true
        }
        guard let silence else { return false }
        let limit = isFirst ? silence.first : silence.later
        guard SystemMonotonicClock().now() - lastHeard > limit.nanoseconds else { return false }
        end = .silent
        return true
    }
}
