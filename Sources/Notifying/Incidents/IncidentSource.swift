// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
package import Monitoring

/// The incidents that receivers are notified of: ``Registry``, or a test's imitation. Any thread.
package protocol IncidentSource: Sendable {
    /// An incident with some of its members; nil for one that is not kept.
    func incident(_ id: String, membersFrom position: Int, limit: Int) -> IncidentDetails?
    /// A list of incidents.
    func incidents(_ query: IncidentQuery) -> IncidentPage
    /// The ids of the open incidents in which a target fails.
    func incidents(of target: String) -> [String]
}

extension Registry: IncidentSource {}

/// Incidents as the receivers of a log get them: only with targets that the log's notifier notifies of. On the thread of their reader.
struct ReceiverIncidents {
    /// A member with the group and labels of its target.
    typealias Member = (member: IncidentMember, group: String?, tags: [String: String])

    let source: any IncidentSource
    /// The location that alone sees them so; nil: they are so.
    var seenFrom: String?
    /// Whether receivers are notified of an incident that is open when they begin.
    var isListed: (Incident) -> Bool = { _ in true }
    private let read: (_ id: String) -> (incident: Incident, members: [Member])?

    /// How many incidents are read at once.
    private static let pageLength = 200

    /// Incidents of a node.
    ///
    /// - Parameters:
    ///   - target: the settings of a target that the node notifies of; nil for any other, and for one that is gone.
    ///   - includesRemoved: whether targets that are gone were the node's own.
    init(source: any IncidentSource, target: @escaping (_ id: String) -> TargetSettings?, includesRemoved: Bool) {
        self.source = source
        read = { id in
            guard let details = source.incident(id, membersFrom: 0, limit: .max) else { return nil }
            let members = details.members.compactMap { member -> Member? in
                let settings = target(member.target)
                if settings == nil, member.until == nil || !includesRemoved { return nil }
                return (member, settings.map(\.group) ?? member.group, settings?.tags ?? [:])
            }
            return (details.incident, members)
        }
    }

    /// Incidents of a fleet.
    init(_ copy: FleetIncidentCopy) {
        source = copy
        read = { id in
            guard let whole = copy.whole(id) else { return nil }
            let members = whole.members.compactMap { found -> Member? in
                if found.target == nil, found.member.until == nil { return nil }
                return (found.member, found.target.map(\.group) ?? found.member.group, found.target?.tags ?? [:])
            }
            return (whole.incident, members)
        }
    }

    /// An incident as a receiver sees it; nil for one that is not kept.
    func view(_ id: String, _ filter: NotificationFilter, _ severities: SeverityRules) -> IncidentView? {
        guard let (incident, all) = read(id) else { return nil }
        var members = all.compactMap { member, group, tags -> IncidentView.Member? in
            guard incident.concerns(member), filter.routes(member.target, group: group, tags: tags) else { return nil }
            let severity = severities.severity(of: member.state, target: member.target, group: group)
            return IncidentView.Member(member, tags: tags, severity: severity)
        }
        // Messages about several targets name no such state.
        if members.count == 1, let end = members[0].member.end, end == .otherCause || end == .corrected {
            members[0].present = failingState(of: members[0].member.target)
        }
        return IncidentView(incident, members: members, filter, seenFrom: seenFrom)
    }

    /// The state of a target in the newest of its open incidents.
    private func failingState(of target: String) -> TargetState? {
        let members = source.incidents(of: target).last.flatMap {
            source.incident($0, membersFrom: 0, limit: .max)?.members
        }
        return members?.first { $0.target == target }?.state
    }

    /// The incidents that were open at a time or later; nil: those that are open.
    func list(since moment: Timestamp?) -> [Incident] {
        var query = IncidentQuery()
        (query.isOpen, query.since, query.limit) = (moment == nil ? true : nil, moment, Self.pageLength)
        var found: [Incident] = []
        repeat {
            let page = source.incidents(query)
            found += page.incidents
            query.after = page.next
        } while query.after != nil
        return found.filter(isListed)
    }
}
