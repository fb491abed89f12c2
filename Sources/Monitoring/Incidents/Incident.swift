// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// One cause and what failed for it: everything that is said of an incident besides the list of its members.
package struct Incident: Sendable, Hashable {
    /// Its place in every list: grows with the time at which incidents were opened.
    package let number: UInt64
    /// The id in the HTTP contract: that of the event that opened it, `<epoch>-<sequence>`, at that time.
    package internal(set) var id = ""
    /// The cause of the present outage: another one after a correction.
    package internal(set) var cause: IncidentCause
    /// Other causes that its members showed later, at the same distance.
    package internal(set) var otherCauses: [IncidentCause] = []
    /// The words of the title and the evidence, as the member showed them that opened, reopened or corrected it.
    package internal(set) var description: IncidentDescription
    /// When the first member failed.
    package let openedAt: Timestamp
    /// When the present outage began: ``openedAt``, or the time at which it was opened again.
    package internal(set) var begunAt: Timestamp
    /// When the last member was back; nil while it is open.
    package internal(set) var closedAt: Timestamp?
    /// How often it was opened again.
    package internal(set) var reopenings = 0
    /// The worst state of a member since ``begunAt``, or since it was corrected: `degraded`, `unreachable` or `down`.
    package internal(set) var severity: TargetState
    /// How many members failed in the present outage, and their states.
    package internal(set) var counts = IncidentCounts()
    /// The id of the open incident with a nearer fault in which all its failing members are, too; nil for none.
    package internal(set) var coveredBy: String?
    /// What happened, oldest first.
    package internal(set) var timeline: [IncidentMoment] = []
    /// Which person takes care of it.
    package internal(set) var acknowledgement: Signature?
    /// Until when people do not want to be notified of it; possibly a time that is over.
    package internal(set) var mutedUntil: Timestamp?
    /// What people wrote, oldest first.
    package internal(set) var notes: [IncidentNote] = []
    /// Another number after every change, larger than that of any change before; of one run.
    package internal(set) var revision: UInt64 = 0
    /// ``revision`` after the last change by a person; of one run.
    package internal(set) var editRevision: UInt64 = 0

    /// A person's name and a time.
    package struct Signature: Sendable, Hashable {
        /// The name that the client gave.
        package let by: String
        /// When.
        package let at: Timestamp

        /// Creates a signature.
        package init(by name: String, at moment: Timestamp) {
            (by, at) = (name, moment)
        }
    }

    /// Creates an incident without members.
    package init(
        number: UInt64,
        cause: IncidentCause,
        description: IncidentDescription,
        openedAt: Timestamp,
        severity: TargetState
    ) {
        self.number = number
        self.cause = cause
        self.description = description
        self.openedAt = openedAt
        begunAt = openedAt
        self.severity = severity
    }

    /// The same incident with counts and an end that a store has beside it.
    package func with(_ counts: IncidentCounts, closedAt moment: Timestamp?) -> Incident {
        var incident = self
        (incident.counts, incident.closedAt) = (counts, moment)
        return incident
    }

    /// The same incident with a number of changes that a store counts.
    package func with(revision: UInt64) -> Incident {
        var incident = self
        (incident.revision, incident.editRevision) = (revision, revision)
        return incident
    }

    /// Whether a member failed in the present outage, and not only in an earlier one.
    package func concerns(_ member: IncidentMember) -> Bool { member.until == nil || member.from >= begunAt }

    /// Whether a member still fails.
    package var isOpen: Bool { counts.open > 0 }

    /// One line for people, such as "eth0 lost its carrier: 200 targets unreachable": those that fail, or when it is over all that did.
    package var title: String { title(severity: severity, counts) }

    /// The title for some of the members.
    ///
    /// - Parameters:
    ///   - severity: the worst state of one of them.
    ///   - counts: how many they are, and how many of them fail.
    package func title(severity: TargetState, _ counts: IncidentCounts) -> String {
        description.title(of: cause.kind, severity: severity, counts: counts)
    }
}

/// How many targets an incident has.
package struct IncidentCounts: Sendable, Hashable {
    /// Targets that failed for its cause in the present outage.
    package internal(set) var total = 0
    /// Those of them that still do.
    package internal(set) var open = 0
    /// Of the open ones, those that are `down`.
    package internal(set) var down = 0
    /// Of the open ones, those that are `unreachable`.
    package internal(set) var unreachable = 0
    /// Of the open ones, those that are `degraded`.
    package internal(set) var degraded = 0

    /// No targets.
    package init() {}

    /// Counts that a store has.
    package init(total: Int, down: Int, unreachable: Int, degraded: Int) {
        (self.total, self.down, self.unreachable, self.degraded) = (total, down, unreachable, degraded)
        open = down + unreachable + degraded
    }

    /// The states of open members, the worst first, and how many are in each.
    var states: [(state: TargetState, count: Int)] {
        [(.down, down), (.unreachable, unreachable), (.degraded, degraded)].filter { $0.1 > 0 }
    }

    /// The worst state of an open member; nil when none is open.
    package var worst: TargetState? { states.first?.state }

    /// Adds to the number of open members in a state.
    mutating func count(_ state: TargetState, by difference: Int) {
        open += difference
        switch state {
        case .down: down += difference
        case .unreachable: unreachable += difference
        case .degraded: degraded += difference
        case .unknown, .up, .paused, .maintenance: break
        }
    }
}

/// A target that fails, or failed, for an incident's cause.
package struct IncidentMember: Sendable, Hashable {
    /// Why a target is no member any more; raw values are the HTTP contract's.
    package enum End: String, Sendable, Hashable, CaseIterable {
        /// It is up.
        case recovered
        /// It was paused.
        case paused
        /// A declared maintenance began.
        case maintenance
        /// It was removed.
        case removed
        /// A later verdict found the fault farther away, so that this cause is over for it.
        case otherCause = "other_cause"
        /// The cause was inferred from missing replies, and a later inference found another one.
        case corrected
    }

    /// The target's id.
    package let target: String
    /// What people called it when it joined; nil for the id.
    package let name: String?
    /// Its group at that time.
    package let group: String?
    /// Its state, or the last one before ``until``: `down`, `unreachable` or `degraded`.
    package internal(set) var state: TargetState
    /// When it failed for the first time.
    package let first: Timestamp
    /// When it failed for the last time.
    package internal(set) var from: Timestamp
    /// When that ended; nil while it fails.
    package internal(set) var until: Timestamp?
    /// Why it ended.
    package internal(set) var end: End?
    /// Since when its failure waits for the result that shows whether it goes on, as after this machine's link is back; nil: it was judged
    /// since. Kept when it ends so, and not stored.
    package internal(set) var unjudgedSince: Timestamp?
    /// How often it failed for this cause.
    package internal(set) var turns: Int
    /// How far the last verdict found the fault.
    package internal(set) var distance: FaultDistance
    /// Whether the last event that told of it had it as failing.
    var isAnnounced = false
    /// Whether it changed since the last event.
    var isTouched = false

    /// Creates a member.
    package init(
        target: String,
        name: String?,
        group: String?,
        state: TargetState,
        first: Timestamp,
        from: Timestamp,
        until: Timestamp? = nil,
        end: End? = nil,
        turns: Int = 1,
        distance: FaultDistance
    ) {
        self.target = target
        self.name = name
        self.group = group
        self.state = state
        self.first = first
        self.from = from
        self.until = until
        self.end = end
        self.turns = turns
        self.distance = distance
        isAnnounced = until == nil
    }
}

/// What a person wrote about an incident.
package struct IncidentNote: Sendable, Hashable {
    /// The name that the client gave.
    package let author: String
    /// The text.
    package let text: String
    /// When it was added.
    package let at: Timestamp
    /// Whether it is an announcement: the public status page shows its text.
    package let isPublic: Bool

    /// Creates a note.
    package init(author: String, text: String, at moment: Timestamp, isPublic: Bool = false) {
        (self.author, self.text, at, self.isPublic) = (author, text, moment, isPublic)
    }
}

/// Something that happened to an incident.
package struct IncidentMoment: Sendable, Hashable {
    /// What happened; raw values are the HTTP contract's.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The first member failed.
        case opened
        /// More targets failed.
        case joined
        /// Members are back.
        case left
        /// Members show another cause at the same distance.
        case changed
        /// A later inference found another cause, which is the incident's from then on; the text is the title before.
        case corrected
        /// The last member is back.
        case closed
        /// A target failed for the same cause soon after.
        case reopened
        /// A person takes care of it.
        case acknowledged
        /// No person does any more.
        case unacknowledged
        /// No notifications of it are to be sent for a time.
        case muted
        /// That is over.
        case unmuted
        /// A person wrote a note.
        case noted
    }

    /// What happened.
    package let kind: Kind
    /// When; of several that followed each other, the first.
    package let at: Timestamp
    /// Of several that followed each other, the last.
    package internal(set) var until: Timestamp?
    /// How many targets it concerned; 0 where it concerns none.
    package internal(set) var count: Int
    /// One line for people: names of targets, or a person.
    package internal(set) var text: String

    /// Creates a moment.
    package init(_ kind: Kind, at moment: Timestamp, until: Timestamp? = nil, count: Int = 0, text: String = "") {
        self.kind = kind
        at = moment
        self.until = until
        self.count = count
        self.text = text
    }
}
