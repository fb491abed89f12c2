// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// All incidents: which targets fail for which cause. Observations in, changes out; no clock, no lock, no I/O.
///
/// **Joining.** A failing target belongs to one incident for each cause that it showed and that no later verdict refuted. The verdict's
/// cause names the incident, by the first row that applies:
///
/// | row | holds | the target joins |
/// | --- | --- | --- |
/// | I1 | its parent is not usable, and is in an incident | the newest incident of the parent |
/// | I2 | an incident of the cause is open | that |
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
/// refuted so.
///
/// **Correcting.** At the end of a step, an incident all of whose failing members left it for one new incident, because they refute its
/// cause, is corrected: it takes the place of the new one. Not after a member recovered: then its fault is over, and what still fails
/// does so for another one. Members that fail because of a parent stay, and do not prevent it. A hop nearer than that of the incident
/// explains the other members, too, which then stay as well.
///
/// **Leaving.** A target leaves an incident whose cause it refutes (`corrected`), and one that it joined at a smaller distance than that
/// of its newest verdict (`other_cause`): a probe that the target itself refused passed this machine's link. It leaves all incidents
/// when it is up, paused, in maintenance or removed. A target of which nothing is known (`unknown`, or before the first result after a
/// suspension) stays where it is.
///
/// **Reopening.** An incident that is opened again begins anew: cause, title, evidence, severity and age are those of the present
/// outage, and the acknowledgement of the earlier one ends.
///
/// An incident is open while a member fails. Each step costs what it changes, and not what there is.
package struct IncidentBook: Sendable {
    /// How long after its end an incident is opened again for the same cause, in milliseconds.
    package static let reopeningTime: Int64 = 300_000
    /// Causes that one incident takes over.
    static let maximumCauses = 16

    /// An incident, its members, and what the next event tells of it.
    struct Entry {
        var incident: Incident
        var members: [IncidentMember] = []
        var places: [String: Int] = [:]
        var groups: Set<String> = []
        /// How many open members fail because of a parent.
        var dependents = 0
        /// The incident whose cause the target refuted that opened this one.
        var predecessor: UInt64?
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

    /// A target's part in an open incident.
    struct Membership {
        let number: UInt64
        let distance: FaultDistance
        /// Whether all its causes so far were inferred.
        let isInferred: Bool

        /// Whether a later verdict shows that this one was wrong.
        func isRefuted(by distance: FaultDistance, isInferred isLaterInferred: Bool) -> Bool {
            isInferred && isLaterInferred && (self.distance != .target || distance != .target)
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
    private var dirty: [UInt64] = []
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
    package var isChanged: Bool { !dirty.isEmpty }

    /// The targets that are in an open incident, in no order.
    package var failingTargets: [String] { Array(memberships.keys) }

    // MARK: Observations

    /// Takes what became of a target.
    package mutating func take(_ observation: IncidentObservation) {
        switch observation.condition {
        case .unjudged: return
        case .up: leave(observation.target, .recovered, at: observation.at)
        case .leaving(let end): leave(observation.target, end, at: observation.at)
        case .failing(let cause, let distance, let state):
            let number = number(for: cause, distance, state, observation)
            join(number, distance, state, observation)
            leave(observation, before: distance, except: number)
        }
    }

    /// The incident that a verdict belongs to; see the table.
    private mutating func number(
        for cause: IncidentCause,
        _ distance: FaultDistance,
        _ state: TargetState,
        _ observation: IncidentObservation
    ) -> UInt64 {
        if cause.kind == .parent, let parent = memberships[cause.subject]?.last { return parent.number }
        let known = causes[cause]
        if let known, entries[known]?.incident.isOpen == true { return known }
        let own = memberships[observation.target] ?? []
        func isRefuted(_ membership: Membership) -> Bool {
            membership.isRefuted(by: distance, isInferred: observation.isInferred)
        }
        if cause.kind != .parent, let other = own.last(where: { $0.distance == distance && !isRefuted($0) }) {
            take(over: cause, other.number, observation)
            return other.number
        }
        let refuted = own.last(where: isRefuted)?.number
        if let known, let closedAt = entries[known]?.incident.closedAt,
            observation.at.milliseconds - closedAt.milliseconds <= Self.reopeningTime,
            refuted.map({ !isCorrectable($0, by: observation.target) }) ?? true
        {
            reopen(known, cause, state, observation)
            return known
        }
        let number = open(cause, state, observation)
        entries[number]?.predecessor = refuted
        return number
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
        guard let index = entries.index(forKey: number) else { return }
        replace(cause, state, observation, number, index)
        entries.values[index].incident.begunAt = observation.at
        entries.values[index].incident.counts.total = 0
        guard entries.values[index].incident.acknowledgement != nil else { return }
        entries.values[index].incident.acknowledgement = nil
        entries.values[index].moments.append(IncidentMoment(.unacknowledged, at: observation.at))
    }

    private mutating func take(over cause: IncidentCause, _ number: UInt64, _ observation: IncidentObservation) {
        guard let index = entries.index(forKey: number),
            entries.values[index].incident.otherCauses.count < Self.maximumCauses
        else { return }
        causes[cause] = number
        entries.values[index].incident.otherCauses.append(cause)
        let reason = observation.evidence.map { ": \($0.detail)" } ?? ""
        let text = "\(observation.name ?? observation.target)\(reason)"
        entries.values[index].moments.append(
            IncidentMoment(.changed, at: observation.at, text: String(text.prefix(256)))
        )
        note(number, index, at: observation.at)
    }

    /// Gives an incident the cause, description and severity of an observation.
    private mutating func replace(
        _ cause: IncidentCause,
        _ state: TargetState,
        _ observation: IncidentObservation,
        _ number: UInt64,
        _ index: Dictionary<UInt64, Entry>.Index
    ) {
        let incident = entries.values[index].incident
        for old in [incident.cause] + incident.otherCauses where causes[old] == number { causes[old] = nil }
        causes[cause] = number
        entries.values[index].incident.cause = cause
        entries.values[index].incident.otherCauses = []
        entries.values[index].incident.description = IncidentDescription(observation, cause, state)
        entries.values[index].incident.severity = state
    }

    private mutating func join(
        _ number: UInt64,
        _ distance: FaultDistance,
        _ state: TargetState,
        _ observation: IncidentObservation
    ) {
        guard let index = entries.index(forKey: number) else { return }
        let target = observation.target
        place(observation, in: number, at: distance)
        if distance == .parent {
            entries.values[index].dependents += 1
        } else if observation.port != entries.values[index].incident.description.port {
            entries.values[index].incident.description.port = nil
        }
        guard let place = entries.values[index].places[target] else {
            var member = IncidentMember(
                target: target,
                name: observation.name,
                group: observation.group,
                state: state,
                first: observation.at,
                from: observation.at,
                distance: distance
            )
            member.isAnnounced = false
            entries.values[index].places[target] = entries.values[index].members.count
            entries.values[index].members.append(member)
            if let group = observation.group { entries.values[index].groups.insert(group) }
            entries.values[index].incident.counts.total += 1
            count(state, by: 1, index)
            return touch(entries.values[index].members.count - 1, number, index, at: observation.at)
        }
        let member = entries.values[index].members[place]
        entries.values[index].members[place].distance = distance
        if member.until == nil, member.distance == .parent { entries.values[index].dependents -= 1 }
        if member.until == nil {
            guard member.state != state else { return }
            count(member.state, by: -1, index)
        } else {
            if !entries.values[index].incident.concerns(member) { entries.values[index].incident.counts.total += 1 }
            entries.values[index].members[place].from = observation.at
            entries.values[index].members[place].until = nil
            entries.values[index].members[place].end = nil
            entries.values[index].members[place].turns += 1
        }
        entries.values[index].members[place].state = state
        count(state, by: 1, index)
        touch(place, number, index, at: observation.at)
    }

    /// Makes an incident the newest of a target.
    private mutating func place(_ observation: IncidentObservation, in number: UInt64, at distance: FaultDistance) {
        let target = observation.target
        let old = memberships[target]?.last { $0.number == number }
        let isInferred = observation.isInferred && old?.isInferred ?? true
        let new = Membership(number: number, distance: distance, isInferred: isInferred)
        guard let last = memberships[target]?.last else {
            memberships[target] = [new]
            return
        }
        if last.number == number {
            memberships[target]?.removeLast()
        } else {
            memberships[target]?.removeAll { $0.number == number }
        }
        memberships[target]?.append(new)
    }

    // MARK: Leaving

    private mutating func leave(_ target: String, _ end: IncidentMember.End, at moment: Timestamp) {
        guard let all = memberships.removeValue(forKey: target) else { return }
        for membership in all { leave(target, membership.number, end, at: moment) }
    }

    /// Has a target leave what its newest verdict refutes.
    private mutating func leave(
        _ observation: IncidentObservation,
        before distance: FaultDistance,
        except number: UInt64
    ) {
        let target = observation.target
        guard let all = memberships[target], all.count > 1 else { return }
        memberships[target] = all.filter { membership in
            if membership.number == number { return true }
            let isRefuted = membership.isRefuted(by: distance, isInferred: observation.isInferred)
            guard isRefuted || membership.distance < distance else { return true }
            leave(target, membership.number, isRefuted ? .corrected : .otherCause, at: observation.at)
            return false
        }
    }

    private mutating func leave(
        _ target: String,
        _ number: UInt64,
        _ end: IncidentMember.End,
        at moment: Timestamp
    ) {
        guard let index = entries.index(forKey: number), let place = entries.values[index].places[target] else {
            return
        }
        let member = entries.values[index].members[place]
        guard member.until == nil else { return }
        entries.values[index].members[place].until = moment
        entries.values[index].members[place].end = end
        if member.distance == .parent { entries.values[index].dependents -= 1 }
        count(member.state, by: -1, index)
        if !entries.values[index].incident.isOpen { entries.values[index].incident.closedAt = moment }
        touch(place, number, index, at: moment)
    }

    mutating func count(_ state: TargetState, by difference: Int, _ index: Dictionary<UInt64, Entry>.Index) {
        entries.values[index].incident.counts.count(state, by: difference)
        guard difference > 0 else { return }
        entries.values[index].incident.closedAt = nil
        let severity = entries.values[index].incident.severity
        if state.gravity > severity.gravity { entries.values[index].incident.severity = state }
    }

    mutating func touch(
        _ place: Int,
        _ number: UInt64,
        _ index: Dictionary<UInt64, Entry>.Index,
        at moment: Timestamp
    ) {
        if !entries.values[index].members[place].isTouched {
            entries.values[index].members[place].isTouched = true
            entries.values[index].touched.append(place)
        }
        note(number, index, at: moment)
    }

    /// Has the next ``settle(_:)`` look at an incident.
    mutating func note(_ number: UInt64, _ index: Dictionary<UInt64, Entry>.Index, at moment: Timestamp) {
        entries.values[index].latest = moment
        guard !entries.values[index].isDirty else { return }
        entries.values[index].isDirty = true
        dirty.append(number)
    }

    // MARK: Telling

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
        for number in dirty {
            guard var entry = entries[number] else { continue }
            // The entry is the only owner of its members again: no copy is made.
            entries[number] = nil
            revision += 1
            let id = identify(number, changes.count)
            if !entry.isAnnounced { numbersByID[id.description] = number }
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
