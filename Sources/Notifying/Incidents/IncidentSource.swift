// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

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

/// Incidents as the receivers of a node get them: only with targets that the node notifies of. On the thread of their reader.
struct ReceiverIncidents {
    let source: any IncidentSource
    /// The settings of a target that the node notifies of; nil for any other, and for one that is gone.
    let target: (_ id: String) -> TargetSettings?
    /// Whether targets that are gone were the node's own.
    let includesRemoved: Bool

    /// How many incidents are read at once.
    private static let pageLength = 200

    /// An incident as a receiver sees it; nil for one that is not kept.
    func view(_ id: String, _ filter: NotificationFilter, _ severities: SeverityRules) -> IncidentView? {
        guard let details = source.incident(id, membersFrom: 0, limit: .max) else { return nil }
        let members = details.members.compactMap { member -> IncidentView.Member? in
            let settings = target(member.target)
            if settings == nil, member.until == nil || !includesRemoved { return nil }
            let group = settings.map(\.group) ?? member.group
            let tags = settings?.tags ?? [:]
            guard filter.routes(member.target, group: group, tags: tags) else { return nil }
            let severity = severities.severity(of: member.state, target: member.target, group: group)
            return IncidentView.Member(member, tags: tags, severity: severity)
        }
        return IncidentView(details.incident, members: members, filter)
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
        return found
    }
}
