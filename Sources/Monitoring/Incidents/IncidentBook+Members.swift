// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis

/// Which targets are in which incidents; see ``IncidentBook``.
extension IncidentBook {
    /// Has a target fail in an incident.
    mutating func join(
        _ number: UInt64,
        _ distance: FaultDistance,
        _ state: TargetState,
        _ observation: IncidentObservation
    ) {
        place(observation, in: number, at: distance)
        var member = IncidentMember(
            target: observation.target,
            name: observation.name,
            group: observation.group,
            state: state,
            first: observation.at,
            from: observation.at,
            distance: distance
        )
        member.isAnnounced = false
        change(number, at: observation.at) { entry in
            if distance != .parent, observation.port != entry.incident.description.port {
                entry.incident.description.port = nil
            }
            if observation.isInferred { entry.workedAt = max(entry.workedAt, observation.onset?.workedAt ?? 0) }
            return entry.take(member)
        }
    }

    /// Makes an incident the newest of a target.
    private mutating func place(_ observation: IncidentObservation, in number: UInt64, at distance: FaultDistance) {
        let target = observation.target
        let old = memberships[target]?.last { $0.number == number }
        if let newest = memberships[target]?.last?.number, newest != number { overtake(target) }
        let isInferred = observation.isInferred && old?.isInferred ?? true
        let new = Membership(
            number: number,
            distance: distance,
            isInferred: isInferred,
            failedAt: old?.failedAt ?? observation.onset?.failedAt,
            failingSince: observation.onset?.failingSince ?? old?.failingSince
        )
        memberships[target]?.removeAll { $0.number == number }
        memberships[target, default: []].append(new)
    }

    /// Has a target leave all incidents.
    mutating func leave(_ target: String, _ end: IncidentMember.End, at moment: Timestamp) {
        dependents.set(target, dependsOn: nil)
        guard let all = memberships.removeValue(forKey: target) else { return }
        for membership in all { leave(target, membership.number, end, at: moment) }
    }

    /// Has a target leave what its newest verdict refutes.
    mutating func leave(
        _ observation: IncidentObservation,
        before distance: FaultDistance,
        except number: UInt64
    ) {
        let target = observation.target
        guard let all = memberships[target], all.count > 1 else { return }
        let workedAt = entries[number]?.workedAt ?? 0
        let parents = dependents.parent(of: target).flatMap { memberships[$0] }
        memberships[target] = all.filter { membership in
            if membership.number == number { return true }
            let isLed = membership.distance == .parent && parents?.contains { $0.number == membership.number } == false
            let isCorrected = isLed || membership.isRefuted(by: distance, observation, workedAt: workedAt)
            guard isCorrected || membership.distance < distance else { return true }
            leave(target, membership.number, isCorrected ? .corrected : .otherCause, at: observation.at)
            return false
        }
        if memberships[target]?.count != all.count { overtake(target) }
    }

    private mutating func leave(
        _ target: String,
        _ number: UInt64,
        _ end: IncidentMember.End,
        at moment: Timestamp
    ) {
        change(number, at: moment) { $0.leave(target, end, at: moment) }
    }

    /// Changes an incident.
    ///
    /// - Parameter body: returns whether there is something to tell: then the next ``settle(_:)`` looks at the incident.
    mutating func change(_ number: UInt64, at moment: Timestamp, _ body: (inout Entry) -> Bool) {
        guard let index = entries.index(forKey: number), body(&entries.values[index]) else { return }
        entries.values[index].latest = moment
        guard !entries.values[index].isDirty else { return }
        entries.values[index].isDirty = true
        dirty.append(number)
    }
}
