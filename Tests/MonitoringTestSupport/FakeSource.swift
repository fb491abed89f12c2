// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
package import NetworkPaths
package import Synchronization

/// Stands in for the path engine: takes requests and tells nothing by itself.
package final class FakeSource: PathSource {
    package struct State {
        /// How many requests there were.
        package var added = 0
        package var requests: [PathID: PathRequest] = [:]
        package var removed: [PathID] = []
    }

    package let state = Mutex(State())
    /// Runs inside each addition: the engine may be that fast.
    package let whileAdding = Mutex<(@Sendable ([PathID]) -> Void)?>(nil)

    package init() {}

    package func add(_ requests: [(id: PathID, request: PathRequest)]) {
        state.withLock { state in
            state.added += requests.count
            for (id, request) in requests { state.requests[id] = request }
        }
        whileAdding.withLock { $0 }?(requests.map(\.id))
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
