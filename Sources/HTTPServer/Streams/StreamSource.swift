// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Where a stream's bytes come from; the server pulls, so a client that does not read is never waited for.
///
/// The server calls a source from one thread, the broadcaster's, never from two at once.
package protocol StreamSource: AnyObject, Sendable {
    /// The next bytes to send, or that there are none yet, or that the stream is over.
    ///
    /// Called when the stream begins, after ``HTTPServer/wakeStreams()``, and whenever the last piece was sent whole.
    func next() -> StreamChunk
    /// Bytes that keep the connection alive while nothing else is sent.
    var heartbeat: [UInt8] { get }
    /// The stream is over: the client went, the server stops, or ``next()`` said so. Called exactly once.
    func didEnd()

    /// Whether its first piece begins with the status line: an answer that comes later, which is no stream for a client and
    /// takes no stream's place.
    var isWholeResponse: Bool { get }

    /// How long the client may take for all of it; nil: as long as it likes, if it takes something now and then.
    var timeLimit: Duration? { get }
}

extension StreamSource {
    /// No: the response's status and fields go before its first piece.
    package var isWholeResponse: Bool { false }
    /// None.
    package var timeLimit: Duration? { nil }
}

/// What a ``StreamSource`` has to say when asked.
package enum StreamChunk: Sendable {
    /// Bytes to send; arrays are shared between streams, not copied.
    case bytes([UInt8])
    /// Nothing yet.
    case idle
    /// Nothing any more: these last bytes, then the end.
    case end([UInt8])
}
