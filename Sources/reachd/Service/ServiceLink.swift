// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// Reaches a ``Service`` from parts that are created before it; the service is not kept alive.
final class ServiceLink: Sendable {
    private struct State {
        weak var service: Service?
    }

    private let state = Mutex(State())

    /// The service; nil before it is complete and after it ended.
    var service: Service? { state.withLock { $0.service } }

    /// Sets the service; once.
    func connect(to service: Service) { state.withLock { $0.service = service } }
}
