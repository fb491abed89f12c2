// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import Probing
import Synchronization
import Traffic

@testable import ReachAPI

/// Stands in for who runs the probes: they end when a test says so.
final class FakeProbes: ProbeControl {
    struct State {
        var activity = ActivityStatus.idle
        var statistics = ProbingStatistics()
        var waiting: [(id: String, completion: @Sendable (ProbeReport?) -> Void)] = []
        var asked: [(request: ProbeRequest, completion: @Sendable (ProbeResult?) -> Void)] = []
        var heartbeats: [(id: String, result: ProbeResult)] = []
        var traces: [String: TargetTraces] = [:]
        var nextProbes: [String: Timestamp] = [:]
        /// What a trace comes to.
        var trace: TargetTrace?
        /// This machine's connections by target.
        var traffic: [String: TargetTraffic] = [:]
        var summaries: [String: TrafficSummary] = [:]
        var trafficStatus = TrafficStatus.off
        /// What the connections that hang come to.
        var hanging: Result<HangingConnections, TrafficError>?
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

    func trace(_ id: String, completion: @escaping @Sendable (TargetTrace?) -> Void) {
        completion(state.withLock { $0.trace })
    }

    func traces(of id: String) -> TargetTraces? { state.withLock { $0.traces[id] } }

    func nextProbe(of target: DeclaredTarget) -> Timestamp? { state.withLock { $0.nextProbes[target.settings.id] } }

    var trafficStatus: TrafficStatus { state.withLock { $0.trafficStatus } }

    func traffic(of id: String) -> TargetTraffic? { state.withLock { $0.traffic[id] } }

    func trafficSummary(of id: String) -> TrafficSummary? { state.withLock { $0.summaries[id] } }

    func hangingConnections(
        of id: String,
        completion: @escaping @Sendable (Result<HangingConnections, TrafficError>?) -> Void
    ) {
        completion(state.withLock { $0.hanging })
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
