// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import NetworkPaths
import Probing

/// What the driver of the probes keeps of one target.
final class ProbeEntry<World: ProbeEnvironment> {
    private(set) var target: DeclaredTarget
    let plan: ProbePlan
    private let schedule: ProbeSchedule?
    /// When the last probe was due.
    var lastDue: UInt64 = 0
    /// When it was started.
    var startedAt: UInt64 = 0
    /// When it ended.
    var endedAt: UInt64 = 0
    /// The generation of the path by which it left; nil when no path was known.
    private var pathGeneration: UInt32?
    /// How many results in a row were discarded because they speak of another path, or of a fault that is over.
    var discardedCount = 0
    /// The scheduler's lag, in nanoseconds: how much later than due the thread came to it. Waiting for a place is not counted.
    var lag: UInt64 = 0
    /// The address that a name was last asked at.
    private var askedAddress: IPAddress?
    /// When the newest heartbeat came, in nanoseconds; it may be before the clock began.
    private var lastHeartbeat = Int64.min
    var run: World.Run?
    var isResting: Bool
    /// Whether a result was lost because the declaration had changed before: then no next turn is planned.
    var isOutdated = false
    /// Whether the gateway monitor knows the gateway of its path.
    var knowsGateway = false
    /// Whether the result of the newest probe waits until it is known whether the gateway answers.
    var awaitsGateway = false
    /// Callers that wait for the next result.
    var waiting: [(ProbeReport?) -> Void] = []

    init(_ target: DeclaredTarget, _ plan: ProbePlan, isResting: Bool) {
        self.target = target
        self.plan = plan
        self.isResting = isResting
        schedule = try? ProbeSchedule(id: target.settings.id, interval: plan.verdict.interval, jitter: plan.jitter)
    }

    /// Takes a changed declaration, where the change concerns neither what is probed nor when.
    ///
    /// - Returns: Whether the probe goes on; otherwise nothing is taken.
    func goesOn(with new: DeclaredTarget, isResting: Bool) -> Bool {
        guard !isOutdated, new.settings.probe == plan, new.settings.pathRequest == target.settings.pathRequest,
            isResting == self.isResting
        else { return false }
        target = new
        return true
    }

    /// Whether the target is the one that calls.
    var isHeartbeat: Bool { plan.isHeartbeat }

    /// The host whose limit counts, which is that of the address also for a name; nil for this machine's own.
    ///
    /// - Parameter path: of the target, whose resolution tells a name's address before the first probe does. A name without a
    ///   known address has a limit of its own.
    func lane(path: @autoclosure () -> NetworkPath?) -> ProbeHost? {
        guard case .ask(let request) = plan.method else { return nil }
        guard let address = address(path: path()) else { return request.connectedHost }
        return address.isLoopback ? nil : .address(address)
    }

    /// The address that probes go to; nil when it is not known yet.
    func address(path: @autoclosure () -> NetworkPath?) -> IPAddress? {
        guard case .ask(let request) = plan.method else { return nil }
        switch request.connectedHost {
        case .address(let literal): return literal
        case .name(let name):
            let isPathOfName = target.settings.pathRequest.target == .name(name)
            return askedAddress ?? (isPathOfName ? path()?.resolution.addresses.first : nil)
        }
    }

    /// How many results in a row may be discarded: what changes all the time must not hide a failure.
    static var maximumDiscarded: Int { 3 }

    /// Remembers by which path a probe leaves.
    func begin(at now: UInt64, by path: NetworkPath?) {
        startedAt = now
        awaitsGateway = false
        pathGeneration = path?.generation
    }

    /// Whether a result says nothing, because its packets left by another path than the present one. A response counts by any path.
    func discards(_ result: ProbeResult, path: @autoclosure () -> NetworkPath?) -> Bool {
        guard result.outcome == .failure || result.absence != nil, let pathGeneration,
            let present = path()?.generation, present != pathGeneration
        else { return false }
        return discards()
    }

    /// Whether a result that shows nothing may be discarded; counts it then.
    func discards() -> Bool {
        guard discardedCount < Self.maximumDiscarded else { return false }
        discardedCount += 1
        return true
    }

    /// Remembers where a probe went.
    func note(_ result: ProbeResult) {
        if let address = result.address { askedAddress = address }
    }

    /// When the first probe is due.
    func first(at now: UInt64, spread: Duration) -> UInt64 {
        switch plan.method {
        case .heartbeat: deadline(from: now)
        case .ask, .traffic: schedule?.first(at: now, spread: spread).due ?? now
        }
    }

    /// When the next probe is due, and how many turns were missed.
    func next(after now: UInt64, wait: Duration) -> ProbeTurn {
        if isHeartbeat { return ProbeTurn(due: deadline(from: now)) }
        return schedule?.next(after: now, lastDue: lastDue, wait: wait) ?? ProbeTurn(due: now + wait.nanoseconds)
    }

    /// How long to wait for a heartbeat.
    private var patience: Duration {
        if case .heartbeat(let grace) = plan.method { plan.verdict.interval + grace } else { plan.verdict.interval }
    }

    /// The result of a heartbeat that did not come.
    var missedHeartbeat: ProbeResult {
        let detail = "no heartbeat within \(patience)"
        return ProbeResult(outcome: .failure, reason: .heartbeatMissed, detail: detail, duration: .zero)
    }

    /// Until when a heartbeat has to come that is counted from a moment.
    private func deadline(from now: UInt64) -> UInt64 {
        let (due, isBeyondTime) = now.addingReportingOverflow(patience.nanoseconds)
        return isBeyondTime ? .max : due
    }

    /// Takes the time of a heartbeat.
    ///
    /// - Returns: How many of the next ones were missed since, at most as many as show that the target is down, and until when
    ///   the one after them has to come, nil for a whole wait from now on; nil when a newer one is known.
    func takeHeartbeat(age: Duration, at now: UInt64) -> (missed: Int, due: UInt64?)? {
        let age = max(0, Int64(clamping: age.nanoseconds))
        let came = Int64(clamping: now).subtractingReportingOverflow(age).partialValue
        guard came >= lastHeartbeat else { return nil }
        lastHeartbeat = came
        let wait = Int64(clamping: max(1, patience.nanoseconds))
        guard age > 0, wait < .max else { return (0, nil) }
        let rest = wait - age % wait
        return (
            Int(clamping: min(age / wait, Int64(plan.verdict.fall))),
            now.addingReportingOverflow(UInt64(rest)).partialValue
        )
    }

    /// Calls the waiting completions, once.
    func answer(_ report: ProbeReport?) {
        let waiting = waiting
        self.waiting = []
        for completion in waiting { completion(report) }
    }
}
