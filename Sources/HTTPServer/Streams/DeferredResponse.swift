// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A response that is not there yet, its status included; for handlers that must not wait for what they answer.
///
/// Goes out as the body of a response whose own status and fields count for nothing. The connection ends with it. It takes no
/// place of a stream.
public final class DeferredResponse: StreamSource {
    private enum Phase: Sendable {
        case waiting
        case ready(HTTPResponse)
        case told
    }

    private let phase = Mutex(Phase.waiting)
    private let isHead: Bool

    /// Waits for ``complete(with:)``.
    ///
    /// - Parameter isHead: whether the request was a HEAD, whose answer ends with its fields.
    public init(isHead: Bool = false) {
        self.isHead = isHead
    }

    /// Gives the response; the server's streams have to be woken after it. A second call does nothing.
    ///
    /// - Parameter response: not a stream.
    public func complete(with response: HTTPResponse) {
        phase.withLock { if case .waiting = $0 { $0 = .ready(response) } }
    }

    /// The response with its head, once it is there.
    public func next() -> StreamPiece {
        let response = phase.withLock { phase -> HTTPResponse? in
            guard case .ready(let response) = phase else { return nil }
            phase = .told
            return response
        }
        guard let response else { return .idle }
        let body: [UInt8] =
            switch response.body {
            case .bytes(let bytes): bytes
            case .prepared(let body): body.bytes
            case .empty, .stream: []
            }
        let head = ResponseHead.bytes(
            status: response.status,
            headers: response.headers,
            date: HTTPDate.now(),
            length: response.status == 204 || response.status == 304 ? nil : body.count
        )
        return .end(isHead || response.status == 304 ? head : head + body)
    }

    /// Yes.
    public var isWholeResponse: Bool { true }

    /// None: nothing may come before the head.
    public var heartbeat: [UInt8] { [] }

    /// Does nothing: what was asked for is done, whether or not somebody hears of it.
    public func didEnd() {}
}
