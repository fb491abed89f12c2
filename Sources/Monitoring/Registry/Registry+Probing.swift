// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Diagnosis
import LinuxIO
import NetworkPaths
import Probing
import Synchronization

/// What probes and people say of targets.
extension Registry {
    /// What came of ``record(_:of:circumstances:)``.
    struct Recorded: Sendable {
        let report: ProbeReport
        /// How long from the last start to the next one; nil while the probe rests.
        let nextInterval: Duration?
        /// What is known of the target now.
        let record: StatusRecord
        /// Targets that have to be probed: a fault that explained their silence is over, or one began behind which they are.
        let again: [UInt64]
    }

    /// What is known of this machine when a result came in.
    struct ProbeContext: Sendable {
        var lag: Duration = .zero
        var lagLimit: Duration = .seconds(1)
        var gateway = GatewayAnswer.unknown
        /// The anchors that were asked since the probe began and are silent so far.
        var silentAnchors: Set<UInt64> = []
        /// When the probe began and ended, by the monotonic clock in nanoseconds.
        var began: UInt64 = 0
        var ended: UInt64 = 0
        /// The probed address, also of a target that hides it.
        var address: IPAddress?
    }

    /// Takes what the driver of the probes has to do, in order.
    func takeCommands() -> [ProbeCommand] {
        // Most changes do not concern them.
        guard published.hasCommands else { return [] }
        return change { $0.takeCommands() }
    }

    /// Registers the probe driver.
    func beginDriving() { change { $0.beginDriving() } }

    /// Takes a result.
    ///
    /// - Returns: nil when the target is gone, or its settings are others meanwhile.
    func record(_ result: ProbeResult, of target: DeclaredTarget, circumstances: ProbeContext) -> Recorded? {
        let now = clock.now()
        let head = recordedSequence
        // Here, so that no reader of records, events, metrics or messages has to know of it.
        let packetError = result.packetError
        var circumstances = circumstances
        circumstances.address = result.address
        let context = circumstances
        let result = target.settings.hidesAddress ? result.hidingAddress : result
        let recorded = change { state -> Recorded? in
            guard let position = state.table.position(ordinal: target.ordinal),
                let old = state.table.places[position].record, old.target === target,
                let judge = state.judges[target.ordinal]
            else { return nil }
            let (result, own) = state.diagnosis(result, packetError, of: old, context, at: now)
            let known = state.ways.faultCount
            let (diagnosis, again) = state.explain(own, result, of: old, context)
            var asked = state.follow(known, of: target.ordinal, context.ended, at: now)
            let report = ProbeReport(
                result,
                at: now,
                lag: context.lag,
                diagnosis: diagnosis,
                isPassive: target.settings.probe?.isPassive == true
            )
            let renewal = judge.take(report)
            state.settle(at: position, renewal: renewal, at: now)
            guard let new = state.table.places[position].record else { return nil }
            let isNew = new.state == .unreachable && old.state != .unreachable
            if diagnosis?.rule.isOfPath == true, isNew || state.ways.failures(of: target.ordinal) == 2 {
                asked += state.ways.unasked(behind: target.ordinal, isConfirmed: true, at: context.ended)
            }
            return Recorded(
                report: report,
                nextInterval: judge.nextInterval,
                record: new,
                again: again + asked
            )
        }
        if let recorded {
            for listener in listeners.withLock({ $0.results }) { listener(recorded.record, recorded.report) }
        }
        if let recorded, live.withLock({ $0.isRead }) {
            emit(.result(recorded.record, recorded.report))
        } else if recordedSequence != head {
            notifyListeners()
        }
        return recorded
    }

    /// Forgets a path MTU black hole that is not confirmed again; later results no longer have it as their reason.
    func forgetBlackHole(of ordinal: UInt64) {
        change { $0.ways.removeNote(of: ordinal) }
    }

    /// Applies what an investigation of a stall shows of a target to its last result and the next ones.
    ///
    /// - Parameter moment: the present time of the monotonic clock, in nanoseconds.
    func explain(_ diagnosis: Diagnosis, _ target: DeclaredTarget, at moment: UInt64) {
        let now = clock.now()
        change { state in
            guard let position = state.table.position(ordinal: target.ordinal) else { return }
            // Also for a result that waits for it, and is not recorded yet.
            state.take(blackHole: diagnosis, of: target.ordinal, at: moment)
            guard state.judges[target.ordinal]?.explain(diagnosis) == true else { return }
            state.settle(at: position, at: now)
        }
        notifyListeners()
    }

    /// Takes a trace of the path to a target: it serves every target whose packets go the same way.
    ///
    /// - Parameter start: when it began, by the monotonic clock in nanoseconds.
    /// - Returns: The targets that have to be probed again.
    func take(_ trace: TargetTrace, of ordinal: UInt64, began start: UInt64) -> [UInt64] {
        let now = clock.now()
        let again = change { state in
            let known = state.ways.faultCount
            let again = state.take(trace, of: ordinal, began: start, at: now)
            guard state.ways.faultCount != known else { return again }
            let end = start + trace.result.duration.nanoseconds
            return again + state.ways.unasked(behind: ordinal, isConfirmed: false, at: end)
        }
        notifyListeners()
        return again
    }

    /// Whether a fault that explained a target's silence ended after a time of the monotonic clock: what was sent before shows nothing.
    func isOver(_ ordinal: UInt64, since start: UInt64) -> Bool {
        state.withLock { $0.ways.isOver(ordinal, since: start) }
    }

    /// What to ask before a silent result counts; nil for nothing.
    func doubt(_ result: ProbeResult, of target: DeclaredTarget, _ circumstances: ProbeContext) -> Doubt? {
        let now = clock.now()
        let head = recordedSequence
        let doubt = change { state -> Doubt? in
            guard let position = state.table.position(ordinal: target.ordinal),
                let record = state.table.places[position].record, record.target === target
            else { return nil }
            var context = circumstances
            context.address = result.address
            let (result, diagnosis) = state.diagnosis(result, result.packetError, of: record, context, at: now)
            return diagnosis.flatMap { state.doubt($0, result, of: record, context, at: now) }
        }
        // What is read again for it is told while the result waits.
        if recordedSequence != head { notifyListeners() }
        return doubt
    }

    /// Counts targets as silent whose probes wait long for their answers, and reads the failure again for which they were asked.
    ///
    /// - Parameters:
    ///   - waiting: The targets, and when the probe of each began.
    ///   - id: The target that failed.
    /// - Returns: The targets that have to be probed, because a fault was found behind which they are.
    func waits(_ waiting: [(id: UInt64, start: UInt64)], beside id: UInt64, at moment: UInt64) -> [UInt64] {
        let now = clock.now()
        let asked = change { state in
            for (id, start) in waiting { state.ways.waits(id, since: start) }
            let known = state.ways.faultCount
            state.reread([id], moment, at: now)
            return state.follow(known, of: id, moment, at: now)
        }
        notifyListeners()
        return asked
    }

    /// Reports a changed route to a target that responds.
    func routeChanged(_ routeChange: RouteChange, of ordinal: UInt64) {
        let now = clock.now()
        change { state in
            guard let position = state.table.position(ordinal: ordinal) else { return }
            state.settle(at: position, routeChange: routeChange, at: now)
        }
        notifyListeners()
    }

    /// Pauses or resumes a target. Any thread.
    ///
    /// - Returns: The new record; nil for an unknown id.
    @discardableResult
    package func setPaused(_ paused: Bool, target id: String) -> StatusRecord? {
        let now = clock.now()
        let record = change { state in
            state.declare(id: id, at: now) { $0.isPaused == paused ? nil : .some($0.setPaused(paused)) }
        }
        notifyListeners()
        return record
    }

    /// Begins or ends a declared maintenance.
    func setMaintenance(_ isOn: Bool, target id: String) {
        let now = clock.now()
        _ = change { state in
            state.declare(id: id, at: now) { evaluate -> ProbeOrder?? in
                guard evaluate.isInMaintenance != isOn else { return nil }
                evaluate.setMaintenance(isOn)
                return .some(nil)
            }
        }
        notifyListeners()
    }

    /// The machine was suspended and woke up: what was counted before speaks of another time.
    func machineSlept() {
        change { state in
            for judge in state.judges.values { judge.machineSlept() }
        }
    }

    /// Sets the anchors and their quorum.
    ///
    /// - Parameters:
    ///   - ids: of targets; one that does not exist is never counted.
    ///   - quorum: how many of them have to answer.
    package func setAnchors(_ ids: [String], quorum: Int) {
        change { state in
            state.anchors = ids
            state.quorum = quorum
        }
    }

    /// Takes that a gateway answers again: the failures of the targets behind it spoke of what is over.
    ///
    /// - Parameter gateway: as probes ask it.
    /// - Returns: These targets, which have to be probed again.
    func takeReturn(of gateway: Gateway) -> [UInt64] {
        change { state in
            let ids = state.targets(behind: gateway) { $0.evaluation?.diagnosis?.rule == .gatewaySilent }
            return state.restart(Array(ids))
        }
    }

    /// Targets behind a gateway that do not fail; some of very many.
    ///
    /// - Parameter gateway: as probes ask it.
    func healthyTargets(behind gateway: Gateway) -> [UInt64] {
        state.withLock { state in
            Array(state.targets(behind: gateway, where: \.state.isHealthy).prefix(NetworkDiagnosis.maximumAsked))
        }
    }

    /// The number of anchors that answer; nil without anchors. Any thread.
    package var anchors: AnchorCounts? { state.withLock { $0.anchorTally() } }

    /// Puts the dependencies of declared and removed targets in force, some at a time; cycles are refused before.
    func linkParents() {
        var isMore = true
        while isMore {
            let now = clock.now()
            isMore = change { state in
                state.link(state.takeToLink(Self.sliceLength), at: now)
                guard state.toLink.isEmpty else { return true }
                for id in state.dependencies.resume() { state.applyParentState(of: id, at: now) }
                return false
            }
            if isMore { pauseDeclaring() }
        }
    }
}

extension RegistryState {
    /// The targets behind a gateway, as probes ask it, that fulfil a condition.
    fileprivate func targets(
        behind gateway: Gateway,
        where holds: @escaping (StatusRecord) -> Bool
    ) -> some Sequence<UInt64> {
        table.places.lazy.compactMap { place in
            guard let record = place.record, holds(record), record.path.flatMap(Gateway.init)?.asProbed == gateway
            else {
                return nil
            }
            return record.target?.ordinal
        }
    }

    /// The reason and the cause of a result that is not a success. A success by silence does not count where the path is not known to
    /// work.
    fileprivate func diagnosis(
        _ result: ProbeResult,
        _ packetError: PacketError?,
        of record: StatusRecord,
        _ circumstances: Registry.ProbeContext,
        at now: Timestamp
    ) -> (ProbeResult, Diagnosis?) {
        guard let reason = result.outcome == .success ? result.absence : result.reason else { return (result, nil) }
        let failure = result.failure
        if result.outcome == .success, failure != .absent { return (result, nil) }
        let isMoved = lostItsGateway(record)
        let gateway = isMoved ? .silent : Self.gateway(of: record, reason, result, circumstances)
        let anchors = anchorTally(silent: circumstances.silentAnchors)
        var offender = Offender(packetError, gateway: record.path?.gateway)
        if record.target?.settings.hidesAddress == true { offender = offender?.hidingAddress }
        var facts = CauseFacts(
            failure: failure,
            unsatisfiedReason: record.path?.reachability == .notReachable ? record.path?.unsatisfiedReason : nil,
            gateway: gateway,
            anchors: anchors,
            isParentDown: judges[record.target?.ordinal ?? 0]?.blockingParent != nil,
            schedulerLag: circumstances.lag,
            lagLimit: circumstances.lagLimit,
            offender: offender?.role
        )
        guard failure == .absent else {
            let rule = CauseDecision(facts).rule
            var detail = result.detail
            if isMoved, rule == .gatewaySilent {
                detail += "; it answered behind a gateway, which its path has no longer"
            }
            return (result, Diagnosis(reason: reason, detail: detail, rule: rule, offender: offender))
        }
        facts.isWayProven = NetworkEvidence.isProven(reason, gateway: gateway, anchors: anchors) {
            isNeighbourUp(of: record, at: now)
        }
        let rule = CauseDecision(facts).rule
        guard rule != .nothingFailed else { return (result, nil) }
        let detail = "no answer, as expected, but nothing shows that the path works (\(reason.rawValue))"
        let unproven = result.withoutProof(of: reason, detail)
        return (unproven, Diagnosis(reason: reason, detail: unproven.detail, rule: rule, offender: offender))
    }

    /// Whether a target answered behind a gateway until its path had none any more, and did not answer since: with a wrong netmask, hosts
    /// of other networks are looked for on the link.
    private func lostItsGateway(_ record: StatusRecord) -> Bool {
        guard let target = record.target, let path = record.path, path.gateway == nil,
            path.reachability != .notReachable
        else { return false }
        return ways.answered(target.ordinal)
    }

    /// How old another target's answer may be to show that the way works, in milliseconds.
    private static let longestEvidence: Int64 = 60_000

    /// Whether another target behind the same gateway answered lately.
    private func isNeighbourUp(of record: StatusRecord, at now: Timestamp) -> Bool {
        guard let path = record.path, let gateway = path.gateway else { return false }
        return judges.keys.contains { ordinal in
            guard ordinal != record.target?.ordinal, let position = table.position(ordinal: ordinal),
                let other = table.places[position].record, other.state.isHealthy,
                let report = other.evaluation?.lastReport, !report.isPassive, report.result.outcome != .failure,
                report.result.absence == nil
            else { return false }
            return other.path?.gateway == gateway && other.path?.interface == path.interface
                && now.milliseconds - report.at.milliseconds <= Self.longestEvidence
        }
    }

    /// What the gateway does, as far as it is known. The network of a target on the link that is unreachable is this machine's
    /// own: there is no router on the way that could have reported it. A network that is down always is, and so is a packet that
    /// the kernel had no route for, although the gateway may have answered a moment before.
    private static func gateway(
        of record: StatusRecord,
        _ reason: ProbeReason,
        _ result: ProbeResult,
        _ circumstances: Registry.ProbeContext
    ) -> GatewayAnswer {
        if reason == .networkDown || result.isWithoutRoute { return .silent }
        guard record.path?.gateway == nil else {
            // This machine's kernel itself reports that no neighbour answers at the gateway's address.
            return reason == .hostUnreachable && result.packetError?.sender == .thisMachine
                ? .silent : circumstances.gateway
        }
        return reason == .networkUnreachable ? .silent : .notNeeded
    }

    /// Applies a declaration to the evaluator of a target; creates one if needed.
    ///
    /// - Parameter body: returns nil when nothing changed.
    fileprivate mutating func declare(
        id: String,
        at now: Timestamp,
        _ body: (TargetEvaluator) -> ProbeOrder??
    ) -> StatusRecord? {
        guard let position = table.position(id: id), let target = table.places[position].record?.target else {
            return nil
        }
        let evaluate = judges[target.ordinal] ?? TargetEvaluator(plan: nil)
        if let path = table.places[position].record?.path, judges[target.ordinal] == nil {
            _ = evaluate.take(path: path)
        }
        let answer = body(evaluate)
        guard let order = answer else { return table.places[position].record }
        judges[target.ordinal] = evaluate
        if let order, let record = table.places[position].record { command(order, for: record) }
        settle(at: position, at: now)
        if evaluate.isIdle { judges[target.ordinal] = nil }
        return table.places[position].record
    }
}

/// A command of the registry to the probe driver. Targets are named by their ordinals.
enum ProbeCommand: Sendable {
    /// A target is new, or its settings are: forget what was of it, and plan its first probe unless it rests.
    case watch(StatusRecord, isResting: Bool)
    /// It is gone.
    case forget(UInt64)
    /// Its probe may run again: probe soon.
    case atOnce(UInt64)
    /// Cancel the probe in flight and start none until resumed.
    case rest(UInt64)
    /// The addresses of its name are others.
    case moved(UInt64)
    /// Measure these gateways from now on, and no others.
    case measure([DefaultGateway])
}

/// What the driver of a ``HealthStateMachine`` has to do with the probe.
package enum ProbeOrder: Sendable, Hashable, CaseIterable {
    /// Probe without waiting for the next turn: now, or soon where many targets recover together.
    case atOnce
    /// Cancel the probe in flight, throw its result away, and start none until resumed.
    case rest
}
