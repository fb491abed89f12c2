// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// A response that is completed later, including its status: for handlers that must not wait.
///
/// A handler returns it as ``HTTPResponse/Body-swift.enum/deferred(_:)``. The request is suspended meanwhile, does not
/// count as a stream, and its connection serves further requests after the response. A deferred response that is
/// released without completion is answered with 503.
package final class DeferredResponse: Sendable {
    private enum Phase: Sendable {
        case waiting
        /// The server waits for the response.
        case wanted(@Sendable (HTTPResponse?) -> Void)
        case ready(HTTPResponse)
        case taken
    }

    private let phase = Mutex(Phase.waiting)

    /// Waits for ``complete(with:)``.
    package init() {}

    deinit {
        if case .wanted(let deliver) = phase.withLock({ $0 }) { deliver(nil) }
    }

    /// Provides the response. Any thread; a second call does nothing.
    ///
    /// - Parameter response: neither a stream nor deferred.
    package func complete(with response: HTTPResponse) {
        let deliver = phase.withLock { phase -> (@Sendable (HTTPResponse?) -> Void)? in
            switch phase {
            case .waiting:
                phase = .ready(response)
                return nil
            case .wanted(let deliver):
                phase = .taken
                return deliver
            case .ready, .taken:
                return nil
            }
        }
        deliver?(response)
    }

    /// Takes the response if it is complete; once, and nil otherwise.
    package func take() -> HTTPResponse? {
        phase.withLock { phase in
            guard case .ready(let response) = phase else { return nil }
            phase = .taken
            return response
        }
    }

    /// Delivers the response on completion, possibly inside this call; nil if there will be none. Call once, and not
    /// after ``take()`` returned it.
    func deliver(to receiver: @escaping @Sendable (HTTPResponse?) -> Void) {
        let response = phase.withLock { phase -> HTTPResponse? in
            switch phase {
            case .waiting:
                phase = .wanted(receiver)
                return nil
            case .ready(let response):
                phase = .taken
                return response
            case .wanted, .taken:
                return nil
            }
        }
        if let response { receiver(response) }
    }
}
