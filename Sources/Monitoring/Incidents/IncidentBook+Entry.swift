// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension IncidentBook {
    /// An incident, its members, and what the next event tells of it.
    struct Entry {
        var incident: Incident
        var members: [IncidentMember] = []
        var places: [String: Int] = [:]
        var groups: Set<String> = []
        /// The silence of routers that follow its hop: it is found by these causes, too.
        var nextRouters: [IncidentCause] = []
        /// When the element at fault worked last, as far as one of the members showed it, by the monotonic clock.
        var workedAt: UInt64 = 0
        /// How many open members fail because of a parent.
        var dependents = 0
        /// The incident whose cause the target refuted that opened this one.
        var predecessor: UInt64?
        /// The incident in which that target stayed, because this one's element still worked when it failed.
        var hidden: UInt64?
        /// The incident that covers it.
        var coverer: UInt64?
        /// Whether ``coverer`` is another one since the last event.
        var isCovererNew = false
        /// Whether an event told of it.
        var isAnnounced = false
        /// Whether the last event had it as open.
        var wasOpen = false
        var isDirty = false
        /// When it changed last.
        var latest: Timestamp
        /// The places of members that changed since.
        var touched: [Int] = []
        /// What else happened since.
        var moments: [IncidentMoment] = []
        var isEdited = false
        /// What it counts as among the open ones.
        var counted: IncidentTally.Key?
        var isCountedAsOpened = false
        /// The time of the event that told last of its end.
        var latestClosing: Timestamp?
    }
}

extension IncidentBook.Entry {
    /// The causes by which others find it.
    var causes: [IncidentCause] { [incident.cause] + incident.otherCauses + nextRouters }

    /// Whether its fault is on the way, and not that a gateway does not answer itself.
    var isOnTheWay: Bool {
        incident.cause.kind != .gateway || members.contains { $0.until == nil && $0.distance == .route }
    }

    /// Whether a later failure for one of its causes is the same fault: not of a router behind its hop, nor of a target at its gateway's
    /// address.
    func isReopened(by cause: IncidentCause) -> Bool {
        !nextRouters.contains(cause) && (incident.cause.kind != .gateway || cause.kind != .silence)
    }
}

/// What becomes of members; each change returns whether there is something to tell.
extension IncidentBook.Entry {
    /// Takes a member as it is in an observation, or in an incident that this one takes the place of.
    mutating func take(_ member: IncidentMember) -> Bool {
        guard let place = places[member.target] else {
            places[member.target] = members.count
            if let group = member.group { groups.insert(group) }
            members.append(member)
            members[members.count - 1].isTouched = false
            incident.counts.total += 1
            count(member, by: 1)
            touch(members.count - 1)
            return true
        }
        let known = members[place]
        let isPresent = incident.concerns(known)
        count(known, by: -1)
        // A correction within one step is no end: the target fails on.
        if !isPresent || known.until != nil && (known.end != .corrected || !known.isTouched) {
            if !isPresent { incident.counts.total += 1 }
            members[place].from = member.from
            members[place].turns += 1
        }
        members[place].state = member.state
        members[place].until = member.until
        members[place].end = member.end
        members[place].distance = member.distance
        members[place].unjudgedSince = member.unjudgedSince
        count(member, by: 1)
        guard known.state != member.state || known.until != member.until else { return false }
        touch(place)
        return true
    }

    /// Has a member's failure wait for the next result. There is nothing to tell.
    mutating func doubt(_ target: String, at moment: Timestamp) {
        guard let place = places[target], members[place].until == nil, members[place].unjudgedSince == nil else {
            return
        }
        members[place].unjudgedSince = moment
    }

    /// Ends a member's part.
    mutating func leave(_ target: String, _ end: IncidentMember.End, at moment: Timestamp) -> Bool {
        guard let place = places[target], members[place].until == nil else { return false }
        count(members[place], by: -1)
        members[place].until = moment
        members[place].end = end
        if !incident.isOpen { incident.closedAt = moment }
        touch(place)
        return true
    }

    /// Counts a member while it fails.
    private mutating func count(_ member: IncidentMember, by difference: Int) {
        guard member.until == nil else { return }
        incident.counts.count(member.state, by: difference)
        if member.distance == .parent { dependents += difference }
        guard difference > 0 else { return }
        incident.closedAt = nil
        if member.state.gravity > incident.severity.gravity { incident.severity = member.state }
    }

    private mutating func touch(_ place: Int) {
        guard !members[place].isTouched else { return }
        members[place].isTouched = true
        touched.append(place)
    }
}
