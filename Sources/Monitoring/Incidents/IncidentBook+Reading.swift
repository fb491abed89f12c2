// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Diagnosis

/// Which incidents a list has.
package struct IncidentQuery: Sendable, Hashable {
    /// Whether only open, or only closed ones; nil for both, the open ones first.
    package var isOpen: Bool?
    /// Incidents of which one of these targets is or was a member; empty for all.
    package var targets: Set<String> = []
    /// Incidents with a member of one of these groups; empty for all.
    package var groups: Set<String> = []
    /// Incidents that were open at this time or later.
    package var since: Timestamp?
    /// Incidents that were opened before this time.
    package var until: Timestamp?
    /// The maximum number of incidents.
    package var limit = 100
    /// The incident after which the list begins.
    package var after: IncidentCursor?

    /// All incidents.
    package init() {}
}

/// A place in a list of incidents: the open ones first, in both halves the newest first.
package struct IncidentCursor: Sendable, Hashable {
    /// Whether the place is among the open ones.
    package let isOpen: Bool
    /// The number of the incident after which the list goes on.
    package let number: UInt64

    /// Creates a place.
    package init(isOpen: Bool, number: UInt64) {
        (self.isOpen, self.number) = (isOpen, number)
    }
}

/// Some incidents of a list.
package struct IncidentPage: Sendable {
    /// The incidents, in order.
    package let incidents: [Incident]
    /// How many are open in all, whatever the query.
    package let openCount: Int
    /// The place after them; nil at the end of the list.
    package let next: IncidentCursor?

    /// Creates a page.
    package init(incidents: [Incident], openCount: Int, next: IncidentCursor?) {
        (self.incidents, self.openCount, self.next) = (incidents, openCount, next)
    }
}

/// An incident with some of its members.
package struct IncidentDetails: Sendable {
    /// The incident.
    package let incident: Incident
    /// Members in the order in which they joined first.
    package let members: [IncidentMember]
    /// The place after them; nil at the end of the list.
    package let next: Int?
    /// What was considered for its silent targets; nil where ``IncidentDiagnosis/explains(_:)`` does not hold, and where nobody asked.
    package internal(set) var diagnosis: IncidentDiagnosis?

    /// Creates details.
    package init(incident: Incident, members: [IncidentMember], next: Int?) {
        (self.incident, self.members, self.next) = (incident, members, next)
    }
}

/// An incident as a store keeps it.
package struct StoredIncident: Sendable, Hashable {
    /// The incident; its counts follow from the members.
    package var incident: Incident
    /// All members.
    package var members: [IncidentMember]

    /// Creates the pair.
    package init(_ incident: Incident, members: [IncidentMember]) {
        (self.incident, self.members) = (incident, members)
    }
}

extension IncidentBook {
    /// Lists incidents.
    package func page(_ query: IncidentQuery) -> IncidentPage {
        var found: [Incident] = []
        for isOpen in [true, false] where query.isOpen ?? isOpen == isOpen {
            // A cursor among the closed ones is behind all open ones.
            if let after = query.after, isOpen, !after.isOpen { continue }
            let limit = query.after.flatMap { $0.isOpen == isOpen ? $0.number : nil } ?? .max
            for number in numbers.reversed() where number < limit {
                guard let entry = entries[number], entry.incident.isOpen == isOpen, entry.matches(query) else {
                    continue
                }
                guard found.count < query.limit else {
                    let last = found.last.map { IncidentCursor(isOpen: $0.isOpen, number: $0.number) }
                    return IncidentPage(incidents: found, openCount: tally.openCount, next: last)
                }
                found.append(entry.incident)
            }
        }
        return IncidentPage(incidents: found, openCount: tally.openCount, next: nil)
    }

    /// An incident with some of its members; nil for an unknown id.
    ///
    /// - Parameters:
    ///   - position: the place of the first member in their order; 0 to begin.
    ///   - limit: the maximum number of members.
    package func details(of id: String, from position: Int, limit: Int) -> IncidentDetails? {
        guard let entry = numbersByID[id].flatMap({ entries[$0] }) else { return nil }
        let first = min(max(position, 0), entry.members.count)
        let end = min(first + max(limit, 0), entry.members.count)
        return IncidentDetails(
            incident: entry.incident,
            members: Array(entry.members[first..<end]),
            next: end < entry.members.count ? end : nil
        )
    }

    /// The members of an incident that fail, and not because of a parent, in the order in which they joined.
    func failing(in id: String, limit: Int) -> [String] {
        let members = numbersByID[id].flatMap { entries[$0] }?.members ?? []
        return members.lazy.filter { $0.until == nil && $0.distance != .parent }.prefix(limit).map(\.target)
    }

    /// Whether there is an incident with an id.
    package func has(_ id: String) -> Bool { numbersByID[id] != nil }

    /// The ids of the open incidents in which a target fails; constant cost.
    package func incidents(of target: String) -> [String] {
        (memberships[target] ?? []).compactMap { entries[$0.number]?.incident.id }.filter { !$0.isEmpty }
    }

    /// Whether an open incident says that a gateway does not answer itself.
    func isSilent(_ gateway: Gateway) -> Bool {
        let entry = causes[IncidentCause(.gateway, gateway.address.description)].flatMap { entries[$0] }
        return entry?.incident.isOpen == true && entry?.isOnTheWay == false
    }

    /// Whether a target fails in an open incident of a cause; constant cost.
    package func has(_ target: String, failingFor cause: IncidentCause) -> Bool {
        guard let number = causes[cause] else { return false }
        return memberships[target]?.contains { $0.number == number } ?? false
    }

    /// All incidents with all members, oldest first.
    package var stored: [StoredIncident] {
        numbers.compactMap { entries[$0] }.filter(\.isAnnounced).map {
            StoredIncident($0.incident, members: $0.members)
        }
    }

    /// Whether a target is `down` by its newest verdict, for a fault of its own.
    func isDownByItself(_ target: String) -> Bool {
        guard let (incident, member) = newest(of: target) else { return false }
        return incident.cause.place == .target && member.state == .down
    }

    /// The newest incident in which a target fails, and the target as its member; nil for none.
    func newest(of target: String) -> (incident: Incident, member: IncidentMember)? {
        guard let entry = memberships[target]?.last.flatMap({ entries[$0.number] }), let place = entry.places[target]
        else { return nil }
        return (entry.incident, entry.members[place])
    }

    /// Adds incidents of an earlier run. Open ones go on: their targets are members until an observation says otherwise.
    ///
    /// - Parameter incidents: what a store had; numbers and ids that are there already are skipped.
    package mutating func restore(_ incidents: [StoredIncident]) {
        var restored: [String: [Membership]] = [:]
        var covered: [UInt64: String] = [:]
        let byEnd = incidents.sorted {
            ($0.incident.closedAt ?? $0.incident.openedAt) < ($1.incident.closedAt ?? $1.incident.openedAt)
        }
        for stored in byEnd where entries[stored.incident.number] == nil && numbersByID[stored.incident.id] == nil {
            var entry = Entry(incident: stored.incident, latest: stored.incident.openedAt)
            entry.restore(stored.members)
            guard !entry.members.isEmpty else { continue }
            let incident = entry.incident
            tally.restore(&entry)
            if !incident.isOpen, let closedAt = incident.closedAt {
                entry.latestClosing = closedAt
                closed.add(incident.number, closedAt: closedAt, members: entry.members.count)
            }
            for cause in [incident.cause] + incident.otherCauses where incident.isOpen || causes[cause] == nil {
                if let known = causes[cause], entries[known]?.incident.isOpen == true { continue }
                causes[cause] = incident.number
            }
            for member in entry.members where member.until == nil {
                let membership = Membership(
                    number: incident.number,
                    distance: member.distance,
                    isInferred: incident.description.isInferred && member.distance != .parent,
                    failedAt: Membership.earlierRun
                )
                restored[member.target, default: []].append(membership)
            }
            covered[incident.number] = incident.coveredBy
            entries[incident.number] = entry
            numbersByID[incident.id] = incident.number
            numbers.append(incident.number)
            begin(behind: incident.number)
        }
        // Before those of this run, which are newer verdicts.
        for (target, earlier) in restored {
            // That it was in several was decided when the later of them began: its element worked when the target had failed before.
            for later in earlier.dropFirst() { entries[later.number]?.workedAt = Membership.earlierRun + 1 }
            let newer = memberships[target, default: []]
            memberships[target] = earlier + newer
            if !newer.isEmpty { overtake(target) }
        }
        for (number, id) in covered { entries[number]?.coverer = numbersByID[id] }
        numbers.sort()
        revision += 1
    }
}

extension IncidentBook.Entry {
    fileprivate func matches(_ query: IncidentQuery) -> Bool {
        if let until = query.until, incident.openedAt >= until { return false }
        if let since = query.since, let closedAt = incident.closedAt, closedAt < since { return false }
        return (query.targets.isEmpty || query.targets.contains { places[$0] != nil })
            && (query.groups.isEmpty || !groups.isDisjoint(with: query.groups))
    }

    /// Takes the members of a store; what follows from them is not believed from elsewhere.
    fileprivate mutating func restore(_ stored: [IncidentMember]) {
        incident.counts = IncidentCounts()
        for member in stored where places[member.target] == nil && member.state.gravity > 0 {
            places[member.target] = members.count
            members.append(member)
            if let group = member.group { groups.insert(group) }
            if incident.concerns(member) { incident.counts.total += 1 }
            guard member.until == nil else { continue }
            incident.counts.count(member.state, by: 1)
            if member.distance == .parent { dependents += 1 }
        }
        let last = members.compactMap(\.until).max()
        incident.closedAt = incident.isOpen ? nil : incident.closedAt ?? last
        (isAnnounced, wasOpen) = (true, incident.isOpen)
    }
}

extension IncidentTally {
    /// Counts an incident of an earlier run.
    fileprivate mutating func restore(_ entry: inout IncidentBook.Entry) {
        entry.isCountedAsOpened = true
        follow(&entry)
    }
}
