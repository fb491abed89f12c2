// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis
import LinuxIO
import NetworkPaths
import Probing

/// What is asked before a silent result counts, and the results that wait for it.
extension ProbeDriver {
    /// What a result waits for.
    enum Inquiry: Equatable {
        case trace(TraceLimits.Place)
        case investigation(TraceLimits.Place)
    }

    /// What a silent result waits for.
    struct Waiting {
        /// What is found out of a place.
        var inquiry: Inquiry?
        /// The time to answer of other targets.
        let needsTime: Bool
        let conclude: () -> Void
        let timer: World.Timer
    }

    /// Asks what would explain a silent result, and hands it in: at once, or, when it alone would make the target `down`, with the
    /// answers or after ``ProbingSettings/diagnosisWait``.
    func weigh(_ entry: Entry, _ result: ProbeResult, gateway: GatewayAnswer) {
        let ordinal = entry.target.ordinal
        guard case .ask(let request) = entry.plan.method, settings.diagnosisWait > .zero, !entry.isResting,
            let doubt = registry.doubt(result, of: entry.target, circumstances(of: entry, gateway))
        else { return conclude(entry, result, gateway: gateway) }
        if doubt.isOver, repeats(entry) { return }
        ask(doubt.siblings + doubt.behind)
        let began = entry.startedAt
        let needsAnchors = doubt.anchors != .notNeeded && asksAnchors(for: entry, since: began, known: knownAnchors)
        let inquiry = inquire(entry, request, result, doubt)
        let awaited = doubt.isDecisive ? inquiry : nil
        let needsTime = doubt.isDecisive && inquiry == nil && !doubt.siblings.isEmpty
        let mayWait = doubt.isDecisive || doubt.anchors == .awaited
        guard mayWait, awaited != nil || needsTime || needsAnchors
        else { return conclude(entry, result, gateway: gateway) }
        let timer = world.schedule(at: world.now() + settings.diagnosisWait.nanoseconds) { [weak self] in
            self?.countWaiting(doubt.siblings, beside: ordinal)
            self?.release(ordinal)
            self?.turn()
        }
        let conclusion = { [weak self] in
            guard let self, !isClosed, entries[ordinal] === entry else { return }
            // The path may have changed while it waited, or what explains it may have ended.
            if repeatsByPresentPath(entry, result) { return }
            if registry.isOver(ordinal, since: entry.startedAt), repeats(entry) { return }
            conclude(entry, result, gateway: gateway, silentAnchors: needsAnchors ? silentAnchors(since: began) : [])
        }
        held[ordinal] = Waiting(inquiry: awaited, needsTime: needsTime, conclude: conclusion, timer: timer)
        if needsAnchors { anchors.hold(ordinal, since: began) }
    }

    // MARK: Answers

    /// Starts what may explain a silent result; returns it while it is under way.
    private func inquire(_ entry: Entry, _ request: ProbeRequest, _ result: ProbeResult, _ doubt: Registry.Doubt)
        -> Inquiry?
    {
        let path = registry.target(entry.target.settings.id)?.path
        if doubt.isStalled {
            let policy = entry.target.settings.isClientDeclared ? policy : nil
            return pathMTU.stalled(entry.target, request, result, path: path, under: policy).map { .investigation($0) }
        }
        return traces.failed(entry.target, request, result, path: path, doubt) { [weak self] place in
            self?.countWaiting(doubt.siblings, beside: entry.target.ordinal)
            self?.release(.trace(place))
        }.map { .trace($0) }
    }

    /// Probes again in place of a result that shows nothing, since it speaks of a fault that is over.
    ///
    /// - Returns: False when too many results in a row were discarded.
    func repeats(_ entry: Entry) -> Bool {
        guard entry.discards() else { return false }
        plan(entry, due: world.now())
        return true
    }

    /// Counts targets as silent that were asked for the sake of one and wait for their answers.
    private func countWaiting(_ asked: [UInt64], beside ordinal: UInt64) {
        let now = world.now()
        let waiting = asked.compactMap { id -> (UInt64, UInt64)? in
            guard let entry = entries[id], entry.run != nil, now >= entry.startedAt + Self.longAnswer else {
                return nil
            }
            return (id, entry.startedAt)
        }
        guard !waiting.isEmpty, !isClosed else { return }
        ask(registry.waits(waiting, beside: ordinal, at: now))
    }

    /// Hands in the results that waited for what is found out now.
    func release(_ inquiry: Inquiry) {
        for (ordinal, _) in held.filter({ $0.value.inquiry == inquiry }).sorted(by: { $0.key < $1.key }) {
            held[ordinal]?.inquiry = nil
            releaseIfAnswered(ordinal)
        }
        turn()
    }

    /// Hands in a result that no longer waits for anything.
    func releaseIfAnswered(_ ordinal: UInt64) {
        guard let waiting = held[ordinal], waiting.inquiry == nil, !waiting.needsTime, !anchors.isAwaited(by: ordinal)
        else { return }
        release(ordinal)
    }

    /// Hands in a result that waited.
    func release(_ ordinal: UInt64) { drop(ordinal)?.conclude() }

    /// Drops a result that waits: a newer probe tells more.
    @discardableResult
    func drop(_ ordinal: UInt64) -> Waiting? {
        guard let waiting = held.removeValue(forKey: ordinal) else { return nil }
        world.cancel(waiting.timer)
        anchors.release(ordinal)
        return waiting
    }

    /// Probes targets before their turn, the first ones at once and the others one after another, within ``ProbingSettings/spread``.
    func ask(_ ordinals: [UInt64]) {
        let now = world.now()
        for (index, ordinal) in ordinals.enumerated() {
            guard let entry = entries[ordinal], !entry.isResting, entry.run == nil, !entry.awaitsGateway,
                held[ordinal] == nil,
                case .ask = entry.plan.method
            else { continue }
            let limit = min(settings.spread, entry.plan.verdict.interval).nanoseconds
            let step = min(Self.stepLength, limit / UInt64(ordinals.count))
            plan(entry, due: now + UInt64(max(0, index + 1 - Self.immediate)) * step)
        }
    }

    /// Probes the targets behind a gateway that falls silent, so that the first message names them.
    func lost(_ gateway: Gateway) {
        guard !isClosed else { return }
        ask(registry.healthyTargets(behind: gateway))
    }

    /// Probes the targets that failed because of a gateway which answers again.
    func returned(_ gateway: Gateway) {
        guard !isClosed else { return }
        ask(registry.takeReturn(of: gateway))
    }

    /// Hands in a trace: it serves every target whose packets go the same way.
    func traced(_ ordinal: UInt64, _ trace: TargetTrace, behind gateway: DefaultGateway?, began: UInt64) {
        guard !isClosed else { return }
        if trace.result.isAnswered, let gateway { registry.take(trace, behind: gateway) }
        ask(registry.take(trace, of: ordinal, began: began))
    }

    /// Hands in what an investigation of stalled connections shows of a target.
    func investigated(_ ordinal: UInt64, _ blackHole: PathMTUBlackHole?) {
        guard !isClosed, let target = entries[ordinal]?.target else { return }
        guard let blackHole else { return registry.forgetBlackHole(of: ordinal) }
        registry.explain(Diagnosis(blackHole), target, at: world.now())
    }
}
