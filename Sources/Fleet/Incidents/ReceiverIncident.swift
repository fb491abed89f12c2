// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
internal import PostgreSQL

/// An incident of the fleet as far as receivers of notifications need it: with all its members, and how their targets are declared.
package struct ReceiverIncident: Sendable {
    /// A member.
    package struct Member: Sendable {
        /// The target's part in the incident.
        package let member: IncidentMember
        /// Its group and labels; nil when it is not declared any more.
        package let target: ReceiverTarget?

        /// Creates a value.
        package init(_ member: IncidentMember, _ target: ReceiverTarget?) {
            (self.member, self.target) = (member, target)
        }
    }

    /// The incident.
    package let incident: Incident
    /// Its members, in the order in which they joined.
    package let members: [Member]

    /// Creates a value.
    package init(_ incident: Incident, members: [Member]) { (self.incident, self.members) = (incident, members) }

    /// Which incidents are read.
    package struct Selection: Sendable, Hashable {
        /// These, if they are kept.
        package var ids: Set<String>
        /// Whether all that are open are read, too.
        package var hasOpen: Bool
        /// Besides, those that were closed at this time or later; nil: none.
        package var since: Timestamp?

        /// Creates a selection.
        package init(_ ids: Set<String>, hasOpen: Bool = false, since moment: Timestamp? = nil) {
            (self.ids, self.hasOpen, since) = (ids, hasOpen, moment)
        }
    }
}

extension FleetReader {
    /// The number of members that are read at once.
    private static let memberLimit = 4_096

    /// Reads incidents. Any thread.
    ///
    /// - Parameter completion: called once, on the reader's thread; nil when the database cannot be read.
    package func incidents(
        _ selection: ReceiverIncident.Selection,
        completion: @escaping @Sendable ([ReceiverIncident]?) -> Void
    ) {
        ask(Self.question(selection)) { [self] result in
            guard case .success(let incidents) = result else { return completion(nil) }
            guard !incidents.isEmpty else { return completion([]) }
            members(of: incidents, after: (0, ""), [:], completion)
        }
    }

    private func members(
        of incidents: [Incident],
        after last: (incident: UInt64, target: String),
        _ earlier: [UInt64: [ReceiverIncident.Member]],
        _ completion: @escaping @Sendable ([ReceiverIncident]?) -> Void
    ) {
        ask(Self.question(incidents.map(\.number), after: last)) { [self] result in
            guard case .success(let page) = result else { return completion(nil) }
            var members = earlier
            for (incident, member) in page.rows { members[incident, default: []].append(member) }
            guard let last = page.last else {
                return completion(
                    incidents.map { incident in
                        let all = (members[incident.number] ?? []).sorted {
                            ($0.member.first, $0.member.target) < ($1.member.first, $1.member.target)
                        }
                        return ReceiverIncident(incident, members: all)
                    }
                )
            }
            self.members(of: incidents, after: last, members, completion)
        }
    }

    // MARK: Questions

    private static func question(_ selection: ReceiverIncident.Selection) -> FleetQuestion<[Incident]> {
        let parameters: [DatabaseValue] = [
            .texts(selection.ids.sorted()), .bool(selection.hasOpen),
            selection.since.map { .integer($0.instant.microseconds) } ?? .null,
        ]
        return FleetQuestion(incidentStatement, parameters) { rows throws(DatabaseError) in
            var incidents: [Incident] = []
            for row in 0..<rows.rowCount {
                if let incident = try IncidentRows.incident(rows, row) { incidents.append(incident) }
            }
            return incidents
        }
    }

    private static let incidentStatement = Statement(
        """
        SELECT \(IncidentRows.columns) FROM incidents i
        WHERE i.id = ANY($1::text[]) OR $2::boolean AND i.closed IS NULL OR i.closed >= $3::bigint
        ORDER BY i.number
        """,
        name: "receiver_incidents"
    )

    private typealias MemberPage = (
        rows: [(incident: UInt64, member: ReceiverIncident.Member)], last: (incident: UInt64, target: String)?
    )

    private static func question(
        _ numbers: [UInt64],
        after last: (incident: UInt64, target: String)
    ) -> FleetQuestion<MemberPage> {
        let parameters: [DatabaseValue] = [
            .integers(numbers.map { Int64(clamping: $0) }), .integer(Int64(clamping: last.incident)),
            .text(last.target), .integer(Int64(memberLimit)),
        ]
        return FleetQuestion(memberStatement, parameters) { rows throws(DatabaseError) in
            var found: [(incident: UInt64, member: ReceiverIncident.Member)] = []
            for row in 0..<rows.rowCount {
                guard let (incident, member) = try IncidentRows.member(rows, row) else { continue }
                let target: ReceiverTarget? =
                    try rows.bool(row, 11)
                    ? ReceiverTarget(
                        name: member.name,
                        group: try rows.optionalText(row, 12),
                        tags: FleetTags.members(of: try rows.texts(row, 13).compactMap(\.self))
                    ) : nil
                found.append((incident, ReceiverIncident.Member(member, target)))
            }
            guard rows.rowCount == memberLimit else { return (found, nil) }
            let end = rows.rowCount - 1
            return (found, (UInt64(clamping: try rows.count(end, 0)), try rows.text(end, 1)))
        }
    }

    private static let memberStatement = Statement(
        """
        SELECT \(IncidentRows.memberColumns), t.id IS NOT NULL, t."group", coalesce(t.tags, '{}')
        FROM incident_members m LEFT JOIN targets t ON t.id = m.target
        WHERE m.incident = ANY($1::bigint[]) AND (m.incident, m.target) > ($2::bigint, $3::text)
        ORDER BY m.incident, m.target LIMIT $4::int
        """,
        name: "receiver_incident_members"
    )
}
