// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension IncidentBook.Entry {
    /// Whether a member recovered in the present outage, so that the fault is over.
    var hasRecovery: Bool { members.contains { $0.end == .recovered && incident.concerns($0) } }

    fileprivate func hasFailing(_ target: String) -> Bool { places[target].map { members[$0].until == nil } ?? false }
}

extension Incident {
    /// Whether its hop is before that of another incident: then no packet of that one's members comes to theirs.
    fileprivate func isNearer(than other: Incident) -> Bool {
        guard let hop = description.hop, let farther = other.description.hop else { return false }
        return description.isInferred && other.description.isInferred && hop < farther
    }
}

/// Corrections; see ``IncidentBook``.
extension IncidentBook {
    /// Whether an incident is corrected if a target leaves it.
    func isCorrectable(_ number: UInt64, by target: String) -> Bool {
        entries[number].map { $0.incident.counts.open - $0.dependents == 1 && !$0.hasRecovery } ?? false
    }

    /// Has incidents take the place of new ones for which all their members left them in this step.
    mutating func correct(_ numbers: [UInt64]) {
        // The newest first: a target may have refuted several causes in one step.
        for number in numbers.sorted(by: >) {
            guard let successor = entries[number], !successor.isAnnounced, successor.incident.isOpen,
                let old = successor.predecessor, let entry = entries[old], !entry.hasRecovery,
                entry.incident.counts.open == entry.dependents || successor.incident.isNearer(than: entry.incident)
            else { continue }
            let moved = entry.touched.map { entry.members[$0] }.filter { $0.end == .corrected }
            guard moved.allSatisfy({ successor.hasFailing($0.target) }) else { continue }
            replace(old, by: successor)
        }
    }

    /// Gives an incident the cause, the description and the members of a new one, which is forgotten.
    private mutating func replace(_ number: UInt64, by successor: Entry) {
        guard let index = entries.index(forKey: number) else { return }
        let new = successor.incident
        if entries.values[index].isAnnounced {
            let title = entries.values[index].incident.title
            entries.values[index].moments.append(IncidentMoment(.corrected, at: new.openedAt, text: title))
        }
        let incident = entries.values[index].incident
        for old in [incident.cause] + incident.otherCauses where causes[old] == number { causes[old] = nil }
        for cause in [new.cause] + new.otherCauses where causes[cause] == new.number { causes[cause] = number }
        entries.values[index].incident.cause = new.cause
        entries.values[index].incident.otherCauses = new.otherCauses
        entries.values[index].incident.description = new.description
        let worst = incident.counts.worst ?? new.severity
        entries.values[index].incident.severity = worst.gravity > new.severity.gravity ? worst : new.severity
        entries.values[index].moments += successor.moments
        for member in successor.members { move(member, from: new.number, to: number, index, at: successor.latest) }
        entries[new.number] = nil
        numbers.removeAll { $0 == new.number }
    }

    /// Makes a member of a new incident one of the incident that it corrects.
    private mutating func move(
        _ member: IncidentMember,
        from old: UInt64,
        to number: UInt64,
        _ index: Dictionary<UInt64, Entry>.Index,
        at moment: Timestamp
    ) {
        let place = entries.values[index].places[member.target] ?? entries.values[index].members.count
        if place == entries.values[index].members.count {
            var new = member
            new.isTouched = false
            entries.values[index].places[member.target] = place
            entries.values[index].members.append(new)
            if let group = member.group { entries.values[index].groups.insert(group) }
            entries.values[index].incident.counts.total += 1
        } else {
            let known = entries.values[index].members[place]
            if known.until == nil {
                count(known.state, by: -1, index)
                if known.distance == .parent { entries.values[index].dependents -= 1 }
            } else if known.end != .corrected || !known.isTouched {
                if !entries.values[index].incident.concerns(known) { entries.values[index].incident.counts.total += 1 }
                entries.values[index].members[place].from = member.from
                entries.values[index].members[place].turns += 1
            }
            entries.values[index].members[place].state = member.state
            entries.values[index].members[place].until = member.until
            entries.values[index].members[place].end = member.end
            entries.values[index].members[place].distance = member.distance
        }
        if member.until == nil {
            count(member.state, by: 1, index)
            if member.distance == .parent { entries.values[index].dependents += 1 }
        }
        touch(place, number, index, at: moment)
        memberships[member.target]?.removeAll { $0.number == number }
        memberships[member.target] = memberships[member.target]?.map { membership in
            guard membership.number == old else { return membership }
            return Membership(number: number, distance: membership.distance, isInferred: membership.isInferred)
        }
    }
}
