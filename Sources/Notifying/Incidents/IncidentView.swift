// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// An incident as one receiver sees it: with the members that its filter lets through.
struct IncidentView: Sendable {
    /// A member that the receiver is notified of.
    struct Member: Sendable {
        let member: IncidentMember
        let tags: [String: String]
        let severity: Severity
        /// Its state in another incident that it fails in now; nil: it fails in none, or that is not known.
        var present: TargetState?

        init(_ member: IncidentMember, tags: [String: String] = [:], severity: Severity) {
            (self.member, self.tags, self.severity) = (member, tags, severity)
        }

        /// Whether it fails.
        var isFailing: Bool { member.until == nil }
    }

    /// The incident with all its members' counts.
    let incident: Incident
    /// The members, those that fail first, else in the order in which they joined.
    let members: [Member]
    /// How many of them fail.
    let failing: Int
    /// Whether all of them wait for the result that shows whether they still do: what failed may be over.
    let isUnjudged: Bool
    /// How bad it is: the worst of the members that fail, or of all when none does.
    let severity: Severity
    /// Whether a member is such that the receiver wants to know: of those that fail, or of all when none does.
    let isWanted: Bool
    /// Since when a member has failed; nil when none does.
    let failingSince: Timestamp?
    /// When the last member was back; nil while one fails.
    let closedAt: Timestamp?
    /// The location that alone sees it so; nil: it is so.
    let seenFrom: String?

    init(_ incident: Incident, members: [Member], _ filter: NotificationFilter, seenFrom: String? = nil) {
        self.incident = incident
        self.seenFrom = seenFrom
        let open = members.filter(\.isFailing)
        self.members = open + members.filter { !$0.isFailing }
        failing = open.count
        isUnjudged = !open.isEmpty && open.allSatisfy { $0.member.unjudgedSince != nil }
        let counted = open.isEmpty ? members : open
        severity = counted.map(\.severity).max() ?? .info
        isWanted = counted.contains { filter.wants($0.member.state, severity: $0.severity) }
        failingSince = open.map(\.member.from).min()
        let last = members.compactMap(\.member.until).max()
        closedAt = open.isEmpty ? last ?? incident.closedAt : nil
    }

    /// The members for which it is over: without those of which it was found that they fail for another cause, if there are others.
    var ended: [Member] {
        let own = members.filter { $0.member.end != .corrected }
        return own.isEmpty ? members : own
    }

    /// How long the member that failed longest did, of those that were back at a time or later; nil when none was. One that waited for a
    /// result at last failed until then.
    ///
    /// - Returns: Milliseconds.
    func longest(since moment: Int64) -> Int64? {
        members.compactMap { viewed in
            viewed.member.until.flatMap {
                guard $0.milliseconds >= moment else { return nil }
                return (viewed.member.unjudgedSince ?? $0).milliseconds.subtracting(viewed.member.from)
            }
        }
        .max()
    }

    /// Whether the cause is of this machine's side of the target, so that other targets may follow in a moment.
    var isShared: Bool { incident.cause.place != .target }

    /// The title with the receiver's targets alone.
    var title: String {
        guard members.count != incident.counts.total else { return incident.title }
        let severity = counts(members[...]).worst ?? incident.severity
        return incident.title(severity: severity, counts(members.prefix(failing)))
    }

    /// The counts with some of the members as the failing ones.
    private func counts(_ failing: ArraySlice<Member>) -> IncidentCounts {
        func number(_ state: TargetState) -> Int { failing.count { $0.member.state == state } }
        return IncidentCounts(
            total: members.count,
            down: number(.down),
            unreachable: number(.unreachable),
            degraded: number(.degraded)
        )
    }
}

extension Int64 {
    /// Milliseconds since a time; 0 where a clock was set back.
    fileprivate func subtracting(_ moment: Timestamp) -> Int64 {
        let (difference, isTooFar) = subtractingReportingOverflow(moment.milliseconds)
        return isTooFar ? 0 : Swift.max(0, difference)
    }
}

extension NotificationFilter {
    /// Whether a failure in a state begins something that the receiver is notified of.
    func wants(_ state: TargetState, severity: Severity) -> Bool {
        guard severity >= minimumSeverity else { return false }
        if wantsOnlyEnds { return from.isEmpty || from.contains(state) }
        return (from.isEmpty || from.contains(.up)) && (to.isEmpty || to.contains(state))
    }
}
