// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension IncidentBook.Entry {
    /// Whether a member recovered in the present outage, so that the fault is over.
    fileprivate var hasRecovery: Bool { members.contains { $0.end == .recovered && incident.concerns($0) } }

    fileprivate func hasFailing(_ target: String) -> Bool { places[target].map { members[$0].until == nil } ?? false }

    /// Whether a new incident explains all that fails in this one: all that left it, and that nothing else fails, or its hop is nearer,
    /// so that no packet of the others comes to theirs.
    fileprivate func isExplained(by successor: IncidentBook.Entry) -> Bool {
        guard !hasRecovery, incident.counts.open == dependents || successor.incident.isNearer(than: incident) else {
            return false
        }
        return touched.lazy.map { members[$0] }.filter { $0.end == .corrected }.allSatisfy {
            successor.hasFailing($0.target)
        }
    }

    /// Whether the same targets fail in a new incident, which then is another inference of one fault.
    fileprivate func isSame(as successor: IncidentBook.Entry) -> Bool {
        !hasRecovery && successor.members.allSatisfy { hasFailing($0.target) }
            && members.allSatisfy { $0.until != nil || $0.distance == .parent || successor.hasFailing($0.target) }
    }
}

extension Incident {
    /// Whether its hop is before what is at fault in another incident: a hop, or a host.
    fileprivate func isNearer(than other: Incident) -> Bool {
        guard let hop = description.hop, description.isInferred, other.description.isInferred else { return false }
        return hop < other.description.hop ?? (other.cause.place == .target ? .max : 0)
    }
}

/// Corrections; see ``IncidentBook``.
extension IncidentBook {
    /// Whether an incident is corrected if a member leaves it.
    func isCorrectable(_ number: UInt64) -> Bool {
        entries[number].map { $0.incident.counts.open - $0.dependents == 1 && !$0.hasRecovery } ?? false
    }

    /// Has incidents take the place of new ones for which all their members left them in this step.
    mutating func correct(_ numbers: [UInt64]) {
        // The newest first: a target may have refuted several causes in one step.
        for number in numbers.sorted(by: >) {
            guard let successor = entries[number], !successor.isAnnounced, successor.incident.isOpen else { continue }
            if let old = successor.predecessor, entries[old]?.isExplained(by: successor) == true {
                replace(old, by: successor)
            } else if let old = successor.hidden, entries[old]?.isSame(as: successor) == true {
                replace(old, by: successor)
            }
        }
    }

    /// Gives an incident the cause, the description and the members of a new one, which is forgotten.
    private mutating func replace(_ number: UInt64, by successor: Entry) {
        let new = successor.incident
        correct(number, to: new.cause, new.otherCauses, new.description, new.severity, at: new.openedAt)
        change(number, at: successor.latest) { entry in
            entry.moments += successor.moments
            entry.workedAt = successor.workedAt
            for member in successor.members { _ = entry.take(member) }
            return true
        }
        for target in successor.places.keys {
            memberships[target]?.removeAll { $0.number == number }
            if let place = memberships[target]?.firstIndex(where: { $0.number == new.number }) {
                memberships[target]?[place].number = number
            }
        }
        entries[new.number] = nil
        numbers.removeAll { $0 == new.number }
    }

    /// Calls an incident after a router that tells more: the one behind its hop, which is a target and does not answer, one that reports, or
    /// another hop before the same router.
    mutating func name(
        _ router: IncidentCause,
        _ number: UInt64,
        _ state: TargetState,
        _ observation: IncidentObservation
    ) {
        guard let incident = entries[number]?.incident else { return }
        let causes = ([incident.cause] + incident.otherCauses).filter { $0 != router }
        let description = IncidentDescription(observation, router, state)
        correct(number, to: router, causes, description, state, at: observation.at)
        // Also where no member changes.
        change(number, at: observation.at) { _ in true }
    }

    /// Gives an incident another cause; what a receiver knows by its title is in the timeline.
    private mutating func correct(
        _ number: UInt64,
        to cause: IncidentCause,
        _ others: [IncidentCause],
        _ description: IncidentDescription,
        _ state: TargetState,
        at moment: Timestamp
    ) {
        guard let incident = entries[number]?.incident else { return }
        if entries[number]?.isAnnounced == true {
            entries[number]?.moments.append(IncidentMoment(.corrected, at: moment, text: incident.title))
        }
        let worst = incident.counts.worst ?? state
        let severity = worst.gravity > state.gravity ? worst : state
        rename(number, to: cause, others: others, description, severity)
    }
}
