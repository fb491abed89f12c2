// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis
import LinuxIO
import NetworkPaths
import Probing

/// The turns of probes: when one starts, what follows its end, and when the next one is planned.
extension ProbeDriver {
    /// The shortest suspension that counts, in nanoseconds.
    private static var shortestSuspension: UInt64 { 1_000_000_000 }
    /// Turns are taken in steps of 10 ms, in nanoseconds: a busy schedule wakes its thread a hundred times a second and not for
    /// every probe, which would cost more than the probe.
    static var stepLength: UInt64 { 10_000_000 }
    /// The shortest time between two publications of the statistics, in nanoseconds.
    private static var publishingInterval: UInt64 { 1_000_000_000 }

    // MARK: Turns

    func plan(_ entry: Entry, due: UInt64) {
        let lane = entry.lane(path: registry.target(entry.target.settings.id)?.path)
        queue.schedule(entry.target.ordinal, due: due, address: lane)
        // A heartbeat is the target's to send.
        guard !entry.isHeartbeat else { return }
        let now = world.now()
        let left = Int64(clamping: (due > now ? due - now : 0) / 1_000_000)
        nextProbes[entry.target.ordinal] = Timestamp(milliseconds: registry.clock.now().milliseconds &+ left)
    }

    /// Starts what is due and sets the alarm for what comes next.
    func turn() {
        guard !isClosed else { return }
        lookForSuspension()
        let now = world.now()
        while let start = queue.start(at: now) { begin(start, at: now) }
        let publishing = lastPublished + Self.publishingInterval
        let isPublished = now >= publishing
        if isPublished {
            lastPublished = now
            publish(record)
        }
        // What happened since the last publication must not wait for the next probe.
        let due = isPublished ? nextStep : min(nextStep ?? publishing, publishing)
        guard due != alarm?.due else { return }
        if let alarm { world.cancel(alarm.timer) }
        alarm = due.map { due in
            let timer = world.schedule(at: due) { [weak self] in
                self?.alarm = nil
                self?.turn()
            }
            return (timer, due)
        }
    }

    /// The step of the clock in which the next turn is taken.
    private var nextStep: UInt64? {
        guard let due = queue.nextDue() else { return nil }
        let rest = due % Self.stepLength
        let (step, isBeyondTime) = due.addingReportingOverflow(rest == 0 ? 0 : Self.stepLength - rest)
        return isBeyondTime ? due : step
    }

    private func begin(_ start: ProbeStart, at now: UInt64) {
        guard let entry = entries[start.id], !entry.isResting || !entry.waiting.isEmpty else {
            return queue.finish(start.id, timedOut: false)
        }
        drop(start.id)
        entry.lastDue = start.due
        entry.begin(at: now, by: registry.target(entry.target.settings.id)?.path)
        entry.lag = start.lag
        meter.record(start.lateness)
        counts.started += 1
        switch entry.plan.method {
        case .ask(let request):
            activityMeter.begin(start.id)
            let policy = entry.target.settings.isClientDeclared ? policy : nil
            entry.run = world.start(request, under: policy) { [weak self] in self?.ended(entry, $0) }
        case .heartbeat:
            queue.finish(start.id, timedOut: false)
            conclude(entry, entry.missedHeartbeat, gateway: .unknown)
        case .traffic(let plan):
            queue.finish(start.id, timedOut: false)
            if let result = traffic.result(entry.target, plan) {
                queryGateway(of: entry, result)
            } else {
                // Further failures of the same second are not reported.
                self.plan(entry, due: now + min(entry.plan.verdict.interval, .seconds(1)).nanoseconds)
            }
        }
    }

    func ended(_ entry: Entry, _ result: ProbeResult) {
        guard !isClosed else { return }
        // Before any evaluation: results of probes in flight during a suspension are not evidence.
        lookForSuspension()
        let ordinal = entry.target.ordinal
        entry.note(result)
        activityMeter.end(ordinal)
        entry.run = nil
        // The slot that it took is released even if the target changed.
        queue.finish(ordinal, timedOut: result.reason == .timeout || result.reason == .nameTimeout)
        defer { turn() }
        guard entries[ordinal] === entry else { return }
        guard result.reason != .cancelled else {
            entry.answer(nil)
            return
        }
        if repeatsByPresentPath(entry, result) { return }
        entry.endedAt = world.now()
        let late = result.reason == .timeout ? overrun(of: entry, result) : 0
        entry.lag = max(entry.lag, late)
        queryGateway(of: entry, result)
    }

    /// Probes again when the path changed since the probe began: callers wait for the result by the present path.
    func repeatsByPresentPath(_ entry: Entry, _ result: ProbeResult) -> Bool {
        guard entry.discards(result, path: registry.target(entry.target.settings.id)?.path) else { return false }
        entry.knowsGateway = false
        plan(entry, due: world.now())
        return true
    }

    /// How much later than its deadline the end of a probe was seen, in nanoseconds.
    private func overrun(of entry: Entry, _ result: ProbeResult) -> UInt64 {
        guard case .ask(let request) = entry.plan.method, result.duration > request.timeout else { return 0 }
        return (result.duration - request.timeout).nanoseconds
    }

    private func queryGateway(of entry: Entry, _ result: ProbeResult) {
        let isDoubtful = [.silent, .absent, .resolution].contains(result.failure)
        // No cause is needed, and the result says all that matters.
        if !isDoubtful, entry.knowsGateway { return conclude(entry, result, gateway: .unknown) }
        entry.knowsGateway = true
        guard let gateway = registry.target(entry.target.settings.id)?.path.flatMap(Gateway.init)?.asProbed else {
            return conclude(entry, result, gateway: .notNeeded)
        }
        guard isDoubtful else {
            gateways.learn(gateway)
            return conclude(entry, result, gateway: .unknown)
        }
        // Silence is of the whole time; a refusal speaks of its own moment, and the gateway may have gone since it was asked.
        let reason = result.reason ?? result.absence
        let isRefusal = reason == .networkUnreachable || reason == .hostUnreachable || reason == .prohibited
        let began = entry.startedAt
        entry.awaitsGateway = true
        gateways.query(gateway, since: isRefusal ? world.now() : began) { [weak self] answer in
            // A probe that began meanwhile tells more, and the entry's times are its.
            guard let self, !isClosed, entries[entry.target.ordinal] === entry, entry.startedAt == began else { return }
            entry.awaitsGateway = false
            entry.knowsGateway = answer == .answers
            let isOver = answer == .answers && gateways.isBack(gateway, since: began)
            // The path may have changed while the gateway was asked.
            if !repeatsByPresentPath(entry, result), !isOver || !repeats(entry) {
                weigh(entry, result, gateway: answer)
            }
            turn()
        }
    }

    // MARK: Results

    func circumstances(
        of entry: Entry,
        _ gateway: GatewayAnswer,
        silentAnchors: Set<UInt64> = []
    ) -> Registry.ProbeContext {
        Registry.ProbeContext(
            lag: .nanoseconds(entry.lag),
            lagLimit: settings.lagLimit,
            gateway: gateway,
            silentAnchors: silentAnchors,
            began: entry.startedAt,
            ended: entry.endedAt
        )
    }

    /// Hands a result in and plans the next turn.
    func conclude(
        _ entry: Entry,
        _ result: ProbeResult,
        gateway: GatewayAnswer,
        silentAnchors: Set<UInt64> = []
    ) {
        counts.finished += 1
        entry.discardedCount = 0
        let circumstances = circumstances(of: entry, gateway, silentAnchors: silentAnchors)
        let recorded = registry.record(result, of: entry.target, circumstances: circumstances)
        entry.isOutdated = recorded == nil
        traffic.probed(entry.target.ordinal, result, recorded?.record.state)
        if let recorded, case .ask(let request) = entry.plan.method {
            if result.outcome != .failure {
                traces.answered(entry.target, request, result, path: recorded.record.path)
            } else {
                traces.failed(entry.target.ordinal)
            }
            ask(recorded.again.filter { $0 != entry.target.ordinal })
            pathMTU.probed(entry.target.ordinal, result)
        }
        if let wait = recorded?.nextInterval, !entry.isResting {
            let turn = entry.next(after: world.now(), wait: wait)
            counts.missed += turn.missed
            plan(entry, due: turn.due)
        } else {
            nextProbes[entry.target.ordinal] = nil
        }
        entry.answer(recorded?.report)
        if anchors.isAwaited, anchors.ids.contains(entry.target.settings.id) { anchorAnswered() }
    }

    // MARK: Suspension

    private func lookForSuspension() {
        let time = world.suspendedTime()
        defer { suspendedTime = time }
        guard time > suspendedTime, time - suspendedTime >= Self.shortestSuspension else { return }
        counts.suspensions += 1
        registry.machineSlept()
        for entry in entries.values {
            entry.run.map(world.end)
            guard !entry.isResting else { continue }
            plan(entry, due: entry.first(at: world.now(), spread: settings.spread))
        }
    }
}
