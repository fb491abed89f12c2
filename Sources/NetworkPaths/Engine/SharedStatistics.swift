// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Synchronization

/// What other threads may read of the engine.
final class SharedStatistics: Sendable {
    private let state = Mutex((statistics: PathEngineStatistics(), environment: NetworkEnvironment()))

    var statistics: PathEngineStatistics { state.withLock { $0.statistics } }
    var environment: NetworkEnvironment { state.withLock { $0.environment } }

    func update(_ change: (inout PathEngineStatistics) -> Void) {
        state.withLock { change(&$0.statistics) }
    }

    func set(_ environment: NetworkEnvironment) {
        state.withLock { $0.environment = environment }
    }
}
