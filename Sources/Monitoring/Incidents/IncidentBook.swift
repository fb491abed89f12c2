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
/// later and hides the first one: the target stays in that incident, too, unless that is of a fault on the way, and the target's
/// failures began anew since.
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
/// found by both causes, and is called after the router. A gateway that does not answer and is a target is one fault, too, called after
/// the gateway.
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
        /// When the failures began that the newest verdict for it speaks of, by the same clock.
        var failingSince: UInt64?

        /// The same in the run before: what is seen to work in this one worked after that.
        static var earlierRun: UInt64 { 0 }

        /// Whether a later verdict is another inference.
        func isUnlike(_ distance: FaultDistance, _ observation: IncidentObservation) -> Bool {
            isInferred && observation.isInferred && (self.distance != .target || distance != .target)
        }

        /// Whether a later verdict of the same target shows that this one was wrong, or is over: the fault on the way for which the failures
        /// began, before they began anew.
        func isRefuted(by distance: FaultDistance, _ observation: IncidentObservation, workedAt: UInt64) -> Bool {
            let isOver = self.distance == .route && observation.onset?.failingSince ?? 0 > failingSince ?? .max
            return isOver && isUnlike(distance, observation)
                || isExplained(by: distance, observation, workedAt: workedAt)
        }

        /// Whether a later verdict, also of another target, shows that this one was wrong. An element that still worked then has another
        /// fault, which began later and hides this one.
        ///
        /// - Parameter workedAt: when the element worked last that the verdict names.
        func isExplained(by distance: FaultDistance, _ observation: IncidentObservation, workedAt: UInt64) -> Bool {
            isUnlike(distance, observation) && workedAt <= failedAt ?? .max
        }
    }

    let limits: IncidentLimits
    var entries: [UInt64: Entry] = [:]
    /// All numbers in their order; some may be of incidents that are no longer kept.
    var numbers: [UInt64] = []
    /// The largest number that was given.
    var newest: UInt64 = 0
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
}
