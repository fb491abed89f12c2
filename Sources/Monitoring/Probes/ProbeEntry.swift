// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing

/// What the driver of the probes keeps of one target.
final class ProbeEntry<World: ProbeWorld> {
    let target: DeclaredTarget
    /// nil for a target that only has declared maintenances.
    let plan: ProbePlan?
    private let schedule: ProbeSchedule?
    /// When the last probe was due.
    var lastDue: UInt64 = 0
    /// When it was started.
    var startedAt: UInt64 = 0
    /// How much too late it was started, in nanoseconds.
    var lag: UInt64 = 0
    var run: World.Run?
    var isResting: Bool
    /// Whether the gateway of its path was made known to who watches the gateways.
    var knowsGateway = false
    /// Who waits for the next result.
    var waiting: [(ProbeReport?) -> Void] = []

    init(_ target: DeclaredTarget, isResting: Bool) {
        self.target = target
        self.isResting = isResting
        plan = target.settings.probe
        schedule = plan.flatMap { plan in
            try? ProbeSchedule(id: target.settings.id, interval: plan.verdict.interval, jitter: plan.jitter)
        }
    }

    /// Whose cap counts: that of the address, unless it is this machine's.
    var address: IPAddress? {
        guard case .ask(let request)? = plan?.method, case .address(let address) = request.host else { return nil }
        return address.isLoopback ? nil : address
    }

    /// When the first probe is due.
    func first(at now: UInt64, spread: Duration) -> UInt64 {
        switch plan?.method {
        case .heartbeat?: deadline(from: now)
        default: schedule?.first(at: now, spread: spread).due ?? now
        }
    }

    /// When the next probe is due, and how many turns were missed.
    func next(after now: UInt64, wait: Duration) -> ProbeTurn {
        if case .heartbeat? = plan?.method { return ProbeTurn(due: deadline(from: now)) }
        return schedule?.next(after: now, lastDue: lastDue, wait: wait) ?? ProbeTurn(due: now + wait.nanoseconds)
    }

    /// Until when a heartbeat has to come that is counted from a moment.
    private func deadline(from now: UInt64) -> UInt64 {
        guard case .heartbeat(let grace)? = plan?.method, let interval = plan?.verdict.interval else { return now }
        let (due, isBeyondTime) = now.addingReportingOverflow(interval.nanoseconds + grace.nanoseconds)
        return isBeyondTime ? .max : due
    }

    /// The mean of what people wait for, told once.
    func answer(_ report: ProbeReport?) {
        let waiting = waiting
        self.waiting = []
        for completion in waiting { completion(report) }
    }
}
