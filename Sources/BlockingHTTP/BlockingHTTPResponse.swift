// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl
import LinuxIO

/// What is heard of one answer, and when it is enough. On the thread that asks.
@safe final class BlockingHTTPResponse {
    /// Why we ended it.
    enum End {
        /// The listener has what it wants.
        case wanted
        case tooLarge
        case silent
    }

    let limit: Int
    /// The transfer, which knows the status while it lasts.
    var easy: OpaquePointer?
    private(set) var body: [UInt8] = []
    private(set) var end: End?
    /// How long nothing may come: before the first piece, and then.
    private let silence: (first: Duration, later: Duration)?
    private var isFirst = true
    private let idle: () -> Void
    private let take: (([UInt8]) -> Bool)?
    private var lastHeard = SystemMonotonicClock().now()

    init(
        limit: Int,
        silence: (first: Duration, later: Duration)? = nil,
        idle: @escaping () -> Void = {},
        take: (([UInt8]) -> Bool)? = nil
    ) {
        self.limit = limit
        self.silence = silence
        self.idle = idle
        self.take = take
    }

    /// The status; 0 before there is one.
    var status: Int {
        guard let easy = unsafe easy else { return 0 }
        var information = reachd_curl_information()
        unsafe reachd_curl_easy_inform(easy, &information)
        return Int(information.status)
    }

    /// Whether to go on.
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

    /// Called now and then while the answer is awaited.
    ///
    /// - Returns: Whether nothing of a body came for too long, whatever else came.
    func tick() -> Bool {
        idle()
        guard let silence else { return false }
        let limit = isFirst ? silence.first : silence.later
        guard SystemMonotonicClock().now() - lastHeard > limit.nanoseconds else { return false }
        end = .silent
        return true
    }
}
