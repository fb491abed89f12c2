// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A response whose body is made piece by piece, each when the client has taken those before it: a large answer needs
/// no memory, and making it holds nobody up.
///
/// Goes out as the body of a response whose own status and fields count for nothing. The connection ends with it, which is
/// also how a client without gzip knows its end. It takes no place of a stream.
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
    // The broadcaster's thread alone asks; the lock says so to the compiler.
    private let state: Mutex<State>
    private let whenOver: @Sendable () -> Void
    /// How long the client may take for it.
    package let timeLimit: Duration?

    /// Creates a response of status 200.
    ///
    /// - Parameters:
    ///   - headers: its fields; those about coding are added.
    ///   - isCompressed: whether the body is compressed.
    ///   - timeLimit: how long the client may take for it: one that takes a byte now and then holds a place.
    ///   - whenOver: called once when the body was made or the client is gone.
    ///   - make: the next piece; pieces of some ten kilobytes are right. Called by one thread, never after the end.
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

    /// The head, then the body's pieces.
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
                // A body that breaks off is one that the client knows to be broken.
                guard let bytes = state.gzip?.append(bytes) else { return .end([]) }
                return .bytes(bytes)
            case .end(let bytes):
                guard let bytes = state.gzip?.append(bytes), let tail = state.gzip?.tail else { return .end([]) }
                return .end(bytes + tail)
            }
        }
    }

    /// Yes.
    package var isWholeResponse: Bool { true }

    /// None: the next piece is always there.
    package var heartbeat: [UInt8] { [] }

    /// Says so to whoever made it.
    package func didEnd() { whenOver() }
}
