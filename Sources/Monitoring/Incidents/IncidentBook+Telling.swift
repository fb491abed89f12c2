// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension IncidentBook {
    /// Ends a step that a log's events tell of: a new incident has the id of the event that opens it.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of the events.
    ///   - head: the number of the event before them.
    package mutating func settle(epoch: String, after head: UInt64) -> [IncidentChange] {
        settle { _, place in EventID(epoch: epoch, sequence: head + UInt64(place) + 1) }
    }

    /// Ends a step: returns one change for each incident that changed, in the order in which they did.
    ///
    /// - Parameter identify: the id of a new incident, by its number and the place of the change in the result.
    package mutating func settle(_ identify: (_ number: UInt64, _ place: Int) -> EventID) -> [IncidentChange] {
        var changes: [IncidentChange] = []
        correct(dirty)
        cover()
        for number in dirty {
            guard var entry = entries[number] else { continue }
            // The entry is the only owner of its members again: no copy is made.
            entries[number] = nil
            revision += 1
            let id = identify(number, changes.count)
            if !entry.isAnnounced { numbersByID[id.description] = number }
            entry.incident.coveredBy = entry.coverer.flatMap { entries[$0]?.incident.id }
            let told = entry.settle(id: id, revision: revision)
            tally.follow(&entry)
            let members = entry.members.count
            entries[number] = entry
            changes += told
            if told.first?.action == .reopened { closed.reopen(members: members) }
            if let last = told.last, last.action == .closed {
                entries[number]?.latestClosing = last.at
                closed.add(number, closedAt: last.at, members: members)
                changes[changes.count - 1] = last.dropping(dropExcess())
            }
        }
        dirty = []
        return changes
    }
}

extension IncidentBook.Entry {
    /// Names in a line of the timeline.
    private static let namedMembers = 5
    /// Lines of a timeline: the first few, and the newest.
    private static let maximumMoments = 64
    private static let firstMoments = 8
    /// How soon after the last one a target is told of in the same line, in milliseconds.
    private static let lineTime: Int64 = 60_000

    /// What became of it since the last call: nothing, one change, or two when it was opened and closed meanwhile.
    ///
    /// - Parameter id: becomes its id, if it has none.
    mutating func settle(id: EventID, revision: UInt64) -> [IncidentChange] {
        defer { (touched, moments, isEdited, isCovererNew, isDirty) = ([], [], false, false, false) }
        guard !touched.isEmpty || !moments.isEmpty || isEdited || isCovererNew else { return [] }
        var (joined, left, changed): ([IncidentMember], [IncidentMember], [IncidentMember]) = ([], [], [])
        for place in touched {
            members[place].isTouched = false
            let member = members[place]
            members[place].isAnnounced = member.until == nil
            if member.until != nil {
                left.append(member)
            } else if member.isAnnounced {
                changed.append(member)
            } else {
                joined.append(member)
            }
        }
        incident.revision = revision
        if isEdited { incident.editRevision = revision }
        guard isAnnounced else {
            isAnnounced = true
            incident.id = id.description
            let first = incident.isOpen ? joined : joined + left
            add(IncidentMoment(.opened, at: incident.openedAt, count: first.count, text: Self.names(first)))
            if incident.isOpen, !left.isEmpty { add(.left, left) }
            moments.forEach { add($0) }
            let opened = IncidentChange(
                .opened,
                incident,
                joined: first,
                left: incident.isOpen ? left : [],
                changed: changed,
                at: latest
            )
            wasOpen = true
            guard !incident.isOpen else { return [opened] }
            return [opened, close(left: left)]
        }
        if !joined.isEmpty { add(wasOpen ? .joined : .reopened, joined) }
        moments.forEach { add($0) }
        if wasOpen, !incident.isOpen { return [close(joined: joined, left: left)] }
        if !wasOpen, !incident.isOpen, !left.isEmpty {
            incident.reopenings += 1
            add(.reopened, left)
            let reopened = IncidentChange(.reopened, incident, joined: left, at: latest)
            return [reopened, close(left: left)]
        }
        if !left.isEmpty { add(.left, left) }
        let isReopened = incident.isOpen && !wasOpen
        if isReopened { incident.reopenings += 1 }
        wasOpen = incident.isOpen
        let action: IncidentChange.Action =
            isReopened ? .reopened : isEdited && touched.isEmpty && !isCovererNew ? .edited : .updated
        return [IncidentChange(action, incident, joined: joined, left: left, changed: changed, at: latest)]
    }

    private mutating func close(joined: [IncidentMember] = [], left: [IncidentMember]) -> IncidentChange {
        wasOpen = false
        add(IncidentMoment(.closed, at: incident.closedAt ?? latest, count: left.count, text: Self.names(left)))
        return IncidentChange(.closed, incident, joined: joined, left: left, at: latest)
    }

    private mutating func add(_ kind: IncidentMoment.Kind, _ members: [IncidentMember]) {
        add(IncidentMoment(kind, at: latest, count: members.count, text: Self.names(members)))
    }

    /// Adds a line, or to the last one when it is of the same kind, of targets, and not long ago.
    private mutating func add(_ moment: IncidentMoment) {
        let last = incident.timeline.count - 1
        if let line = incident.timeline.last, line.kind == moment.kind, moment.kind == .joined || moment.kind == .left,
            moment.at.milliseconds - (line.until ?? line.at).milliseconds <= Self.lineTime
        {
            let more = incident.timeline[last].count < Self.namedMembers ? moment.text : "…"
            if !incident.timeline[last].text.hasSuffix("…") { incident.timeline[last].text += ", \(more)" }
            incident.timeline[last].count += moment.count
            incident.timeline[last].until = moment.at
            return
        }
        incident.timeline.append(moment)
        if incident.timeline.count > Self.maximumMoments { incident.timeline.remove(at: Self.firstMoments) }
    }

    private static func names(_ members: [IncidentMember]) -> String {
        let names = members.prefix(namedMembers).map { $0.name ?? $0.target }.joined(separator: ", ")
        return members.count > namedMembers ? "\(names), …" : names
    }
}

extension TargetState {
    /// How bad a state is for the severity of an incident; 0 for states that open none.
    var gravity: Int {
        switch self {
        case .degraded: 1
        case .unreachable: 2
        case .down: 3
        case .unknown, .up, .paused, .maintenance: 0
        }
    }
}
