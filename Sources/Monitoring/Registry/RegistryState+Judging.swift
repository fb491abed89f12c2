// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import Probing

/// What decides on a target besides its path.
extension RegistryState {
    // MARK: Judges

    /// The state of a target, and what to say of it.
    func verdict(of target: DeclaredTarget, path: NetworkPath?) -> (TargetState, TargetEvaluation?) {
        guard !judges.isEmpty, let evaluate = judges[target.ordinal] else { return (TargetState(path: path), nil) }
        return evaluate.verdict(path: path)
    }

    func verdict(of record: StatusRecord, path: NetworkPath?) -> (TargetState, TargetEvaluation?) {
        record.target.map { verdict(of: $0, path: path, after: record) } ?? (TargetState(path: path), nil)
    }

    /// The same for a target that has a record already. While state, reason code and cause stay, so does the reason's sentence:
    /// it may quote times and banners that differ with each result, and every change of it is an event.
    func verdict(of target: DeclaredTarget, path: NetworkPath?, after old: StatusRecord) -> (
        TargetState, TargetEvaluation?
    ) {
        let (state, evaluation) = verdict(of: target, path: path)
        guard state == old.state, let evaluation else { return (state, evaluation) }
        return (state, evaluation.keepingSentence(of: old.evaluation))
    }

    /// Calls the evaluator of a target; nil when it has none.
    func evaluate<Answer>(of record: StatusRecord, _ body: (TargetEvaluator) -> Answer) -> Answer? {
        guard !judges.isEmpty, let ordinal = record.target?.ordinal, let judge = judges[ordinal] else { return nil }
        return body(judge)
    }

    /// Gives a target a judge, changes the plan of the one that it has, or takes it away.
    ///
    /// - Parameter resumed: what another observer of a new target found by its results; nil for nothing.
    mutating func reevaluate(_ target: DeclaredTarget, path: NetworkPath?, resuming resumed: TargetState? = nil) {
        let plan = target.settings.probe
        if let judge = judges[target.ordinal] {
            judge.change(plan, path: path)
            if judge.isIdle { judges[target.ordinal] = nil }
        } else if plan != nil {
            judges[target.ordinal] = TargetEvaluator(plan: plan, resuming: resumed)
        }
    }

    /// Evaluates a target again after its evaluator changed, and emits the result.
    ///
    /// - Parameters:
    ///   - renewal: the target shows another certificate than before.
    ///   - routeChange: the route to the target is another than before.
    mutating func settle(
        at position: Int,
        renewal: CertificateChange? = nil,
        routeChange: RouteChange? = nil,
        at now: Timestamp
    ) {
        guard let old = table.places[position].record, let target = old.target else { return }
        let (state, evaluation) = verdict(of: target, path: old.path, after: old)
        let isStateChange =
            state != old.state || old.isOtherReason(path: old.path, state: state, evaluation: evaluation)
        let eventCount: UInt64 = (isStateChange ? 1 : 0) + (renewal == nil ? 0 : 1) + (routeChange == nil ? 0 : 1)
        if eventCount == 0 { bumpRevision() }
        let new = StatusRecord(
            target: target,
            path: old.path,
            supportsDNS: old.supportsDNS,
            state: state,
            evaluation: evaluation,
            since: state == old.state ? old.since : now,
            sequence: eventCount > 0 ? log.head + eventCount : old.sequence,
            version: version + eventCount,
            transitions: old.transitions.counting(from: old.state, to: state)
        )
        table.setRecord(new, at: position)
        if let renewal { log.append(.certificate(new, renewal), at: now) }
        if let routeChange { log.append(.routeChange(new, routeChange), at: now) }
        guard isStateChange else {
            // The reason of before the path's outage is confirmed: that outage is over for this target.
            if state.gravity > 0, evaluation?.basis != old.evaluation?.basis {
                observeIncidents(new, trigger: nil, at: now)
            }
            return
        }
        recordState(new, previous: old, at: now)
        count(from: old.state, to: state)
        if state != old.state { notifyChildren(of: new, at: now) }
    }

    // MARK: Dependencies

    /// Notifies the dependents of a target that its state changed; they notify their own, iteratively and not
    /// each inside the other's call: a line of dependencies may be longer than the stack is deep.
    mutating func notifyChildren(of record: StatusRecord, at now: Timestamp) {
        guard !dependencies.isFlat, let id = record.target?.settings.id else { return }
        notifyChildren(of: id, at: now)
    }

    /// The same for a target that may be removed. Children are notified in the order of the table.
    mutating func notifyChildren(of id: String, at now: Timestamp) {
        let isFirst = toConsult.isEmpty
        toConsult += dependencies.children(of: id).compactMap(table.position(id:)).sorted().compactMap {
            table.places[$0].record?.target?.settings.id
        }
        guard isFirst else { return }
        var next = 0
        while next < toConsult.count {
            applyParentState(of: toConsult[next], at: now)
            next += 1
        }
        toConsult = []
    }

    /// Puts the dependencies of targets in force that were declared or removed, and those on them.
    mutating func link(_ links: [Link], at now: Timestamp) {
        for link in links {
            let target = table.position(id: link.id).flatMap { table.places[$0].record?.target }
            dependencies.set(link.id, dependsOn: target?.settings.dependsOn ?? [])
        }
        for link in links {
            applyParentState(of: link.id, at: now)
            if !link.isExisting { notifyChildren(of: link.id, at: now) }
        }
    }

    /// Looks anew at what a target depends on.
    mutating func applyParentState(of id: String, at now: Timestamp) {
        consultations += 1
        guard let position = table.position(id: id), let target = table.places[position].record?.target else { return }
        let blocking = dependencies.parents(of: id).first { !isUsable($0) }
        guard judges[target.ordinal]?.blockingParent != blocking else { return }
        let judge = judges[target.ordinal] ?? TargetEvaluator(plan: nil)
        judges[target.ordinal] = judge
        let order = judge.setParent(blocking)
        if let order, let record = table.places[position].record { command(order, for: record) }
        settle(at: position, at: now)
        if judge.isIdle { judges[target.ordinal] = nil }
    }

    /// Whether those that depend on a target could be reached as far as it is concerned.
    private func isUsable(_ id: String) -> Bool {
        guard let record = table.position(id: id).flatMap({ table.places[$0].record }) else { return true }
        return record.state != .down && record.state != .unreachable
    }

    // MARK: Anchors

    /// The number of anchors that answered their last probe, and that did not; nil without anchors.
    ///
    /// - Parameter silent: anchors that do not answer the present one.
    func anchorTally(silent: Set<UInt64> = []) -> AnchorCounts? {
        guard !anchors.isEmpty else { return nil }
        var (up, down) = (0, 0)
        for id in anchors {
            guard let record = table.position(id: id).flatMap({ table.places[$0].record }) else { continue }
            if let target = record.target, silent.contains(target.ordinal) {
                down += 1
            } else if let result = record.evaluation?.lastReport?.result, record.evaluation?.basis != .path {
                // A probe that this machine could not send shows nothing of the Internet.
                if result.failure == .local { continue }
                if result.outcome == .failure { down += 1 } else { up += 1 }
            } else if record.state == .unreachable {
                down += 1
            } else if record.state == .up {
                up += 1
            }
        }
        return AnchorCounts(up: up, down: down, total: anchors.count, quorum: quorum)
    }
}
