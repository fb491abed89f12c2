// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Synchronization

/// A body that is not there yet.
final class DeferredAnswer: StreamSource {
    private enum Phase {
        case waiting
        case ready
        case told
    }

    private let phase = Mutex(Phase.waiting)
    private let make: @Sendable () -> [UInt8]

    /// - Parameter make: makes the body, once it is time.
    init(_ make: @escaping @Sendable () -> [UInt8]) {
        self.make = make
    }

    /// Says that it is time; the server's streams have to be woken after it.
    func complete() {
        phase.withLock { if case .waiting = $0 { $0 = .ready } }
    }

    func next() -> StreamPiece {
        let isTime = phase.withLock { phase in
            guard case .ready = phase else { return false }
            phase = .told
            return true
        }
        return isTime ? .end(make()) : .idle
    }

    /// White space before a JSON value means nothing, and keeps proxies waiting.
    var heartbeat: [UInt8] { [UInt8(ascii: "\n")] }

    func didEnd() {}
}
