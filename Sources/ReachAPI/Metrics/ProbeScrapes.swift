// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
import Synchronization

/// How many probes of `/probe` are on their way, and what became of them.
final class ProbeScrapes: Sendable {
    struct Counts: Sendable {
        var successes: UInt64 = 0
        var failures: UInt64 = 0
        var refusals: UInt64 = 0
        var overloads: UInt64 = 0
        var inFlight = 0
    }

    /// Probes at a time; more are refused. They run beside those of the targets, which have limits of their own.
    static let limit = 256

    private let state = Mutex(Counts())

    var counts: Counts { state.withLock { $0 } }

    /// Takes a place; false when there is none.
    func begin() -> Bool {
        state.withLock { state in
            guard state.inFlight < Self.limit else {
                state.overloads += 1
                return false
            }
            state.inFlight += 1
            return true
        }
    }

    /// Gives the place back, with what came of it; nil when the service ended before.
    func end(_ result: ProbeResult?) {
        state.withLock { state in
            state.inFlight -= 1
            switch (result?.outcome, result?.reason) {
            case (_, .targetDenied): state.refusals += 1
            case (.success, _), (.degraded, _): state.successes += 1
            case (.failure, _), (nil, _): state.failures += 1
            }
        }
    }

    func refused() { state.withLock { $0.refusals += 1 } }
}
