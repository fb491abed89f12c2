// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis

/// Which incident a verdict belongs to; see the table at ``IncidentBook``.
extension IncidentBook {
    /// Has a target be in the incident that its verdict belongs to.
    ///
    /// - Returns: Whether it is in other incidents than before.
    mutating func fail(
        _ observation: IncidentObservation,
        _ cause: IncidentCause,
        _ distance: FaultDistance,
        _ state: TargetState,
        _ companions: () -> [String] = { [] }
    ) -> Bool {
        let before = memberships[observation.target]?.map(\.number)
        let number = number(for: cause, distance, state, observation, companions)
        join(number, distance, state, observation)
        if let router = observation.nextRouter { find(number, by: router) }
        leave(observation, before: distance, except: number)
        return memberships[observation.target]?.map(\.number) != before
    }

    /// The incident that a verdict belongs to; see the table.
    private mutating func number(
        for cause: IncidentCause,
        _ distance: FaultDistance,
        _ state: TargetState,
        _ observation: IncidentObservation,
        _ companions: () -> [String]
    ) -> UInt64 {
        if cause.kind == .parent, let parent = memberships[cause.subject]?.last { return parent.number }
        let own = memberships[observation.target] ?? []
        let workedAt = observation.onset?.workedAt ?? 0
        func isRefuted(_ membership: Membership) -> Bool {
            membership.isRefuted(by: distance, observation, workedAt: workedAt)
        }
        // The incident of a related cause takes this one over, or is called after it where it tells more.
        func enter(_ number: UInt64, isNamed: Bool = false) -> UInt64 {
            if isNamed {
                name(cause, number, state, observation)
            } else if causes[cause] != number {
                take(over: cause, number, observation)
            }
            return number
        }
        if let number = openIncident(of: cause) {
            return enter(number, isNamed: entries[number]?.nextRouters.contains(cause) == true)
        }
        for witness in cause.otherWitnesses(at: distance) {
            guard let number = openIncident(of: witness), let entry = entries[number],
                witness.kind != .gateway || entry.isOnTheWay == (distance == .route)
            else { continue }
            return enter(number, isNamed: [.router, .gateway].contains(cause.kind) && entry.incident.cause == witness)
        }
        if let router = observation.nextRouter, let number = openIncident(of: router) {
            // A member's packets end elsewhere now, before the same router: as when the default route changed.
            return enter(number, isNamed: own.contains { $0.number == number && isRefuted($0) })
        }
        if cause.kind != .parent,
            let other = own.last(where: { $0.distance == distance && !$0.isUnlike(distance, observation) })
        {
            // What was inferred of this machine's network is called after what is observed there.
            let isInferred = entries[other.number]?.incident.description.isInferred == true
            return enter(other.number, isNamed: distance == .network && isInferred && !observation.isInferred)
        }
        var predecessor = own.last(where: isRefuted)?.number
        var isCorrected = predecessor.map(isCorrectable) ?? false
        if predecessor == nil, distance == .route, observation.onset != nil {
            // What failed behind the element since that worked last is one fault with it.
            let others = companions().flatMap { memberships[$0] ?? [] }
            predecessor = others.filter {
                $0.failedAt ?? Membership.earlierRun > Membership.earlierRun
                    && $0.isExplained(by: distance, observation, workedAt: workedAt)
            }
            .map(\.number).min()
            isCorrected = predecessor != nil
        }
        if let known = causes[cause], !isCorrected, entries[known]?.isReopened(by: cause) == true,
            let closedAt = entries[known]?.incident.closedAt,
            observation.at.milliseconds - closedAt.milliseconds <= Self.reopeningTime
        {
            reopen(known, cause, state, observation)
            return known
        }
        let number = open(cause, state, observation)
        entries[number]?.predecessor = predecessor
        if predecessor == nil { entries[number]?.hidden = own.last { $0.isUnlike(distance, observation) }?.number }
        return number
    }

    private func openIncident(of cause: IncidentCause) -> UInt64? {
        causes[cause].flatMap { entries[$0]?.incident.isOpen == true ? $0 : nil }
    }

    private mutating func open(
        _ cause: IncidentCause,
        _ state: TargetState,
        _ observation: IncidentObservation
    ) -> UInt64 {
        // By time, so that those of a log that is opened late fit between.
        let moment = UInt64(clamping: min(max(observation.at.milliseconds, 0), 1 << 52)) << 10
        let number = max(moment, newest + 1)
        newest = number
        let incident = Incident(
            number: number,
            cause: cause,
            description: IncidentDescription(observation, cause, state),
            openedAt: observation.at,
            severity: state
        )
        entries[number] = Entry(incident: incident, latest: observation.at)
        numbers.append(number)
        causes[cause] = number
        return number
    }

    /// Begins an incident anew: nothing of an earlier outage holds but its members, notes, timeline and a mute.
    private mutating func reopen(
        _ number: UInt64,
        _ cause: IncidentCause,
        _ state: TargetState,
        _ observation: IncidentObservation
    ) {
        rename(number, to: cause, IncidentDescription(observation, cause, state), state)
        guard let index = entries.index(forKey: number) else { return }
        entries.values[index].incident.begunAt = observation.at
        entries.values[index].workedAt = 0
        entries.values[index].incident.counts.total = 0
        guard entries.values[index].incident.acknowledgement != nil else { return }
        entries.values[index].incident.acknowledgement = nil
        entries.values[index].moments.append(IncidentMoment(.unacknowledged, at: observation.at))
    }

    private mutating func take(over cause: IncidentCause, _ number: UInt64, _ observation: IncidentObservation) {
        guard entries[number]?.incident.otherCauses.count ?? .max < Self.maximumCauses else { return }
        causes[cause] = number
        let reason = observation.evidence.map { ": \($0.detail)" } ?? ""
        let text = String("\(observation.name ?? observation.target)\(reason)".prefix(256))
        change(number, at: observation.at) { entry in
            entry.incident.otherCauses.append(cause)
            entry.moments.append(IncidentMoment(.changed, at: observation.at, text: text))
            return true
        }
    }

    /// Gives an incident another cause, by which others find it.
    mutating func rename(
        _ number: UInt64,
        to cause: IncidentCause,
        others: [IncidentCause] = [],
        _ description: IncidentDescription,
        _ severity: TargetState
    ) {
        guard let index = entries.index(forKey: number) else { return }
        for old in entries.values[index].causes where causes[old] == number { causes[old] = nil }
        entries.values[index].nextRouters = []
        for new in [cause] + others { causes[new] = number }
        entries.values[index].incident.cause = cause
        entries.values[index].incident.otherCauses = others
        entries.values[index].incident.description = description
        entries.values[index].incident.severity = severity
    }

    /// Has the silence of the router behind an incident's hop lead to it.
    private mutating func find(_ number: UInt64, by router: IncidentCause) {
        guard let index = entries.index(forKey: number), !entries.values[index].causes.contains(router),
            entries.values[index].nextRouters.count < Self.maximumCauses,
            causes[router].flatMap({ entries[$0] })?.incident.isOpen != true
        else { return }
        causes[router] = number
        entries.values[index].nextRouters.append(router)
    }
}
