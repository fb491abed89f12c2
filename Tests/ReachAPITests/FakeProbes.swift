// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Synchronization

@testable import ReachAPI

/// Stands in for who runs the probes: they end when a test says so.
final class FakeProbes: ProbeControl {
    struct State {
        var activity = ActivityStatus.idle
        var statistics = ProbingStatistics()
        var waiting: [(id: String, completion: @Sendable (ProbeReport?) -> Void)] = []
        var asked: [(request: ProbeRequest, completion: @Sendable (ProbeResult?) -> Void)] = []
        var heartbeats: [(id: String, result: ProbeResult)] = []
        /// Whether heartbeats are judged only when a test says so.
        var holdsHeartbeats = false
        /// Whether probes end inside the call that begins them, without a result.
        var endsAtOnce = false
    }

    let state = Mutex(State())

    var activity: ActivityStatus { state.withLock { $0.activity } }
    var statistics: ProbingStatistics { state.withLock { $0.statistics } }
    var waitingFor: [String] { state.withLock { $0.waiting.map(\.id) } }

    func probe(_ id: String, completion: @escaping @Sendable (ProbeReport?) -> Void) {
        let isOver = state.withLock { state in
            if !state.endsAtOnce { state.waiting.append((id, completion)) }
            return state.endsAtOnce
        }
        if isOver { completion(nil) }
    }

    func heartbeat(_ id: String, _ result: ProbeResult, completion: @escaping @Sendable (ProbeReport?) -> Void) {
        let isOver = state.withLock { state in
            state.heartbeats.append((id, result))
            if state.holdsHeartbeats { state.waiting.append((id, completion)) }
            return !state.holdsHeartbeats
        }
        if isOver { completion(ProbeReport(result, at: Timestamp(milliseconds: 0), lag: .zero, diagnosis: nil)) }
    }

    func ask(_ request: ProbeRequest, completion: @escaping @Sendable (ProbeResult?) -> Void) {
        state.withLock { $0.asked.append((request, completion)) }
    }

    /// Ends what was asked for scrapes.
    func answer(_ result: ProbeResult?) {
        let asked = state.withLock { state in
            defer { state.asked = [] }
            return state.asked
        }
        for (_, completion) in asked { completion(result) }
    }

    /// Ends all probes.
    func finish(_ report: ProbeReport?) {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for (_, completion) in waiting { completion(report) }
    }
}
