// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The source of a stream's bytes; the server pulls, so a client that does not read blocks nothing.
///
/// The server calls a source from one thread, the broadcaster's.
package protocol StreamSource: AnyObject, Sendable {
    /// Returns the next bytes to send, or that there are none yet, or that the stream is over.
    ///
    /// Called when the stream begins, after ``HTTPServer/wakeStreams()``, and whenever the last chunk was fully sent.
    func next() -> StreamChunk
    /// Bytes that keep the connection alive while nothing else is sent.
    var heartbeat: [UInt8] { get }
    /// Called exactly once when the stream is over: the client disconnected, the server stops, or ``next()`` ended it.
    func didEnd()

    /// Whether its first chunk begins with the status line: a deferred answer, which is not a stream for a client and
    /// does not count as one.
    var isWholeResponse: Bool { get }

    /// The time limit for the client; nil for none, as long as the client keeps reading.
    var timeLimit: Duration? { get }
}

extension StreamSource {
    /// False: the response's status and headers go before its first chunk.
    package var isWholeResponse: Bool { false }
    /// None.
    package var timeLimit: Duration? { nil }
}

/// The result of polling a ``StreamSource``.
package enum StreamChunk: Sendable {
    /// Bytes to send; arrays are shared between streams, not copied.
    case bytes([UInt8])
    /// No bytes yet.
    case idle
    /// The end, after these last bytes.
    case end([UInt8])
}
