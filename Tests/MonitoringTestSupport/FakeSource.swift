// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
package import NetworkPaths
package import Synchronization

/// Stands in for the path engine: hands out handles and tells nothing by itself.
package final class FakeSource: PathSource {
    package struct State {
        package var lastID: UInt32 = 0
        package var requests: [PathID: PathRequest] = [:]
        package var removed: [PathID] = []
    }

    package let state = Mutex(State())
    /// Runs inside each addition, before its handles are known to anybody: the engine may be that fast.
    package let whileAdding = Mutex<(@Sendable ([PathID]) -> Void)?>(nil)

    package init() {}

    package func add(_ requests: [PathRequest]) -> [PathID] {
        let ids = state.withLock { state in
            requests.map { request in
                state.lastID += 1
                let id = PathID(rawValue: state.lastID)
                state.requests[id] = request
                return id
            }
        }
        whileAdding.withLock { $0 }?(ids)
        return ids
    }

    package func remove(_ ids: [PathID]) {
        state.withLock { state in
            for id in ids { state.requests[id] = nil }
            state.removed += ids
        }
    }

    /// The handle of the newest addition that asks this.
    package func id(_ request: PathRequest) -> PathID? {
        state.withLock { state in
            state.requests.filter { $0.value == request }.map(\.key).max { $0.rawValue < $1.rawValue }
        }
    }
}
