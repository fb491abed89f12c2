// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A response whose body is made in chunks, each when the client has read the previous ones: a large answer needs
/// little memory, and making it delays no other request.
///
/// Sent as the body of a response whose own status and headers are ignored. The connection closes at its end, which
/// also marks the end for clients without gzip. It does not count as a stream.
package final class ChunkedResponse: StreamSource {
    private enum Phase {
        case head
        case body
    }

    private struct State {
        var phase = Phase.head
        var gzip: GzipStream?
        let make: () -> StreamChunk
    }

    private let head: [UInt8]
    // Only the broadcaster's thread uses it; the lock satisfies the compiler.
    private let state: Mutex<State>
    private let whenOver: @Sendable () -> Void
    /// The time limit for the client.
    package let timeLimit: Duration?

    /// Creates a response of status 200.
    ///
    /// - Parameters:
    ///   - headers: its headers; those for codings are added.
    ///   - isCompressed: whether the body is compressed.
    ///   - timeLimit: the time limit for the client: a client that reads a byte now and then uses a slot.
    ///   - whenOver: called once when the body was made or the client is gone.
    ///   - make: the next chunk, about ten kilobytes or more. Called by one thread, never after the end.
    package init(
        headers: [HTTPHeader],
        isCompressed: Bool,
        timeLimit: Duration? = nil,
        whenOver: @escaping @Sendable () -> Void = {},
        _ make: @escaping @Sendable () -> StreamChunk
    ) {
        let coding = isCompressed ? [HTTPHeader("Content-Encoding", "gzip")] : []
        head = ResponseHead.bytes(status: 200, headers: headers + coding, date: HTTPDate.now(), length: nil)
        self.timeLimit = timeLimit
        self.whenOver = whenOver
        state = Mutex(State(gzip: isCompressed ? GzipStream() : nil, make: make))
    }

    /// The head, then the body's chunks.
    package func next() -> StreamChunk {
        state.withLock { state in
            guard case .body = state.phase else {
                state.phase = .body
                return .bytes(state.gzip == nil ? head : head + GzipStream.head)
            }
            let piece = state.make()
            guard state.gzip != nil else { return piece }
            switch piece {
            case .idle: return .idle
            case .bytes(let bytes):
                // A truncated body lets the client detect the error.
                guard let bytes = state.gzip?.append(bytes) else { return .end([]) }
                return .bytes(bytes)
            case .end(let bytes):
                guard let bytes = state.gzip?.append(bytes), let tail = state.gzip?.tail else { return .end([]) }
                return .end(bytes + tail)
            }
        }
    }

    /// Always true.
    package var isWholeResponse: Bool { true }

    /// None: the next chunk is always available.
    package var heartbeat: [UInt8] { [] }

    /// Calls the completion.
    package func didEnd() { whenOver() }
}
