// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// From a verdict and its votes to what incidents are told of the target.
///
/// The cause is that of the votes that bear the verdict out: of those with its reason, or else of all that have a fault, the one that most
/// locations report, and among equals that of the first location by name. What a node reports of its own network or resolver
/// concerns the targets that this node watches (``Monitoring/IncidentCause/origin``); hosts, hops and certificates are the same for all.
extension TargetDecision {
    /// How the target is after the last decision.
    ///
    /// - Parameters:
    ///   - moment: when it was observed.
    ///   - parents: the first parent of each target that cannot be used.
    func observation(at moment: Duration, parents: [String: String]) -> IncidentObservation {
        let fault = fault(parents)
        return IncidentObservation(
            target: standing.id,
            name: fault.flatMap { _ in name },
            group: standing.group,
            condition: condition(fault),
            isInferred: fault?.isInferred,
            evidence: fault.map { .reported($0) },
            at: Timestamp(max(moment, verdict.since))
        )
    }

    private func condition(_ fault: IncidentFault?) -> IncidentObservation.Condition {
        switch verdict.state {
        case .up: .up
        case .unknown: .unjudged
        case .paused: .leaving(.paused)
        case .maintenance: .leaving(.maintenance)
        case .degraded, .down, .unreachable:
            fault.map { .failing($0.cause, $0.distance, verdict.state) } ?? .unjudged
        }
    }

    /// Why it fails; nil while it does not.
    private func fault(_ parents: [String: String]) -> IncidentFault? {
        guard [.degraded, .down, .unreachable].contains(verdict.state) else { return nil }
        func own(_ cause: IncidentCause, _ distance: FaultDistance) -> IncidentFault {
            IncidentFault(cause, distance, code: verdict.reason, detail: verdict.detail)
        }
        if verdict.rule == FleetVerdictRule.parentDown.rawValue, let parent = parents[standing.id] {
            return own(IncidentCause(.parent, parent), .parent)
        }
        return reported ?? own(IncidentCause(.target, standing.id), .target)
    }

    /// The fault that most locations report.
    private var reported: IncidentFault? {
        let failing = votes.sorted { $0.key < $1.key }.compactMap { location, vote in
            vote.content.fault.map { (fault: $0.seen(by: vote.node), content: vote.content) }
        }
        let same = failing.filter { $0.content.reason == verdict.reason && $0.content.cause == verdict.cause }
        let faults = (same.isEmpty ? failing : same).map(\.fault)
        let counts = Dictionary(grouping: faults, by: \.cause).mapValues(\.count)
        let most = counts.values.max()
        return faults.first { counts[$0.cause] == most }
    }

    /// What people call the target, as a node reported it.
    private var name: String? {
        votes.sorted { $0.key < $1.key }.lazy.compactMap { $0.value.content.fault?.name }.first
    }
}
