// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Diagnosis

/// All incidents: which targets fail for which cause. Observations in, changes out; no clock, no lock, no I/O.
///
/// **Joining.** A failing target belongs to one incident for each cause that it showed and that no later verdict refuted. The verdict's
/// cause names the incident, by the first row that applies:
///
/// | row | holds | the target joins |
/// | --- | --- | --- |
/// | I1 | its parent is not usable, and is in an incident | the newest incident of the parent |
/// | I2 | an incident of the cause is open, or of what the same router's other witness shows | that; a router's report names it |
/// | I3 | the target is in an open incident by a verdict at the same ``FaultDistance``, and does not refute it | that, which takes over the cause too |
/// | I4 | an incident of the cause was closed no longer than ``reopeningTime`` ago, and none can be corrected | that, which is open again |
/// | I5 | none | a new one |
///
/// So a host that first refuses connections and then is silent is one incident (I3), and a service that was down before the uplink
/// failed is in two: its own goes on.
///
/// **Refuting.** Some causes are inferred from missing replies (``IncidentCause/Kind/isInferred``): a host is silent, or packets end
/// after a hop, or a firewall of this machine drops them. A target with an inferred cause that shows another inferred one refutes the
/// first, at whatever distance, except that silence of one address and of another are the same inference. An observed cause is never
/// refuted so. An element that still worked when the target had begun to fail (``IncidentObservation/onset``) has a fault that began
/// later and hides the first one: the target stays in that incident, too.
///
/// **Correcting.** At the end of a step, an incident all of whose failing members left it for one new incident, because they refute its
/// cause, is corrected: it takes the place of the new one. Not after a member recovered: then its fault is over, and what still fails
/// does so for another one. Members that fail because of a parent stay, and do not prevent it. A hop nearer than that of the incident
/// explains the other members, too, which then stay as well, and it does so when a target outside the incident shows it. An incident in
/// which the same targets fail is corrected, whenever the element worked.
///
/// **Two witnesses of a router.** That a router reports that it does not forward, and that packets end behind it, is one fault: most routers
/// ration their reports, so that some targets show the one and some the other.
///
/// **Routers that are targets.** That packets end before a router, and that this router does not answer, is one fault: its incident is
/// found by both causes, and is called after the router.
///
/// **Dependents.** A target that fails because of a parent follows it to the parent's newest incident, and leaves those that it joined so
/// and in which the parent no longer fails (`corrected`).
///
/// **Leaving.** A target leaves an incident whose cause it refutes (`corrected`), and one that it joined at a smaller distance than that
/// of its newest verdict (`other_cause`): a probe that the target itself refused passed this machine's link. It leaves all incidents
/// when it is up, paused, in maintenance or removed. A target of which nothing is known (`unknown`, or before the first result after a
/// suspension) stays where it is.
///
/// **Reopening.** An incident that is opened again begins anew: cause, title, evidence, severity and age are those of the present
/// outage, and the acknowledgement of the earlier one ends.
///
/// **Covering.** An incident is covered by a nearer one while each of its failing members is in that or another one by a newer verdict:
/// nothing is seen of its own fault. See ``cover()``.
///
/// An incident is open while a member fails. Each step costs what it changes, and not what there is.
package struct IncidentBook: Sendable {
    /// How long after its end an incident is opened again for the same cause, in milliseconds.
    package static let reopeningTime: Int64 = 300_000
    /// Causes that one incident takes over.
    static let maximumCauses = 16

    /// A target's part in an open incident.
    struct Membership {
        var number: UInt64
        let distance: FaultDistance
        /// Whether all its causes so far were inferred.
        let isInferred: Bool
        /// The start of a probe that failed for it, by the monotonic clock; nil where it is not known.
        var failedAt: UInt64?

        /// The same in the run before: what is seen to work in this one worked after that.
        static var earlierRun: UInt64 { 0 }

        /// Whether a later verdict is another inference.
        func isUnlike(_ distance: FaultDistance, _ observation: IncidentObservation) -> Bool {
            isInferred && observation.isInferred && (self.distance != .target || distance != .target)
        }

        /// Whether a later verdict shows that this one was wrong. An element that still worked then has another fault, which began later
        /// and hides this one.
        ///
        /// - Parameter workedAt: when the element worked last that the verdict names.
        func isRefuted(by distance: FaultDistance, _ observation: IncidentObservation, workedAt: UInt64) -> Bool {
            isUnlike(distance, observation) && workedAt <= failedAt ?? .max
        }
    }

    let limits: IncidentLimits
    var entries: [UInt64: Entry] = [:]
    /// All numbers in their order; some may be of incidents that are no longer kept.
    var numbers: [UInt64] = []
    /// The largest number that was given.
    private(set) var newest: UInt64 = 0
    var numbersByID: [String: UInt64] = [:]
    var causes: [IncidentCause: UInt64] = [:]
    /// Each failing target's open incidents; the newest verdict's is the last.
    var memberships: [String: [Membership]] = [:]
    /// Who fails because of whom; see ``lead(_:at:)``.
    var dependents = Dependents()
    var dirty: [UInt64] = []
    /// Incidents with a member whose newest incident is another one since the last ``settle(_:)``.
    var overtaken: Set<UInt64> = []
    var closed = ClosedIncidents()
    /// How many are open, by kind and severity, and how many were opened.
    package internal(set) var tally = IncidentTally()
    /// Another number after each change.
    package internal(set) var revision: UInt64 = 0

    /// Creates a book without incidents.
    package init(limits: IncidentLimits = IncidentLimits()) {
        self.limits = limits
    }

    /// Gives only numbers behind one from now on.
    package mutating func begin(behind number: UInt64) { newest = max(newest, number) }

    /// Whether ``settle(_:)`` has something to tell.
    package var isChanged: Bool { !dirty.isEmpty || !overtaken.isEmpty }

    /// The targets that are in an open incident, in no order.
    package var failingTargets: [String] { Array(memberships.keys) }

    // MARK: Observations

    /// Takes what became of a target.
    ///
    /// - Parameter companions: the failing targets behind the element at fault.
    package mutating func take(_ observation: IncidentObservation, companions: () -> [String] = { [] }) {
        switch observation.condition {
        case .unjudged:
            for membership in memberships[observation.target] ?? [] {
                entries[membership.number]?.doubt(observation.target, at: observation.at)
            }
        case .up: leave(observation.target, .recovered, at: observation.at)
        case .leaving(let end): leave(observation.target, end, at: observation.at)
        case .failing(let cause, let distance, let state):
            dependents.set(observation.target, dependsOn: cause.kind == .parent ? cause.subject : nil)
            guard fail(observation, cause, distance, state, companions) else { return }
            lead(observation.target, at: observation.at)
        }
    }

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
        if let witness = cause.otherWitness, let number = openIncident(of: witness) {
            return enter(number, isNamed: cause.kind == .router && entries[number]?.incident.cause == witness)
        }
        if let router = observation.nextRouter, let number = openIncident(of: router) {
            // A member's packets end elsewhere now, before the same router: as when the default route changed.
            return enter(number, isNamed: own.contains { $0.number == number && isRefuted($0) })
        }
        if cause.kind != .parent,
            let other = own.last(where: { $0.distance == distance && !$0.isUnlike(distance, observation) })
        {
            return enter(other.number)
        }
        var predecessor = own.last(where: isRefuted)?.number
        var isCorrected = predecessor.map(isCorrectable) ?? false
        if predecessor == nil, distance == .route, observation.onset != nil {
            // What failed behind the element since that worked last is one fault with it.
            let others = companions().flatMap { memberships[$0] ?? [] }
            predecessor = others.filter {
                $0.failedAt ?? Membership.earlierRun > Membership.earlierRun && isRefuted($0)
            }
            .map(\.number).min()
            isCorrected = predecessor != nil
        }
        if let known = causes[cause], !isCorrected, entries[known]?.nextRouters.contains(cause) == false,
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
