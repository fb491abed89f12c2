// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
internal import PostgreSQL

/// Questions about the fleet's incidents.
package enum FleetIncidents {
    /// Reads a page of a list.
    package static func page(_ query: IncidentQuery) -> FleetQuestion<IncidentPage> {
        let after = query.after
        let parameters: [DatabaseValue] = [
            query.isOpen.map { .bool($0) } ?? .null,
            .texts(query.targets.sorted()), .texts(query.groups.sorted()),
            query.since.map { .integer($0.instant.microseconds) } ?? .null,
            query.until.map { .integer($0.instant.microseconds) } ?? .null,
            (after?.isOpen).map { .bool($0) } ?? .null,
            .integer(after.map { Int64(clamping: $0.number) } ?? 0),
            .integer(Int64(query.limit) + 1),
        ]
        return FleetQuestion(pageStatement, parameters) { rows throws(DatabaseError) in
            var incidents: [Incident] = []
            for row in 0..<rows.rowCount where try !rows.isNull(row, 1) {
                if let incident = try IncidentRows.incident(rows, row, from: 1) { incidents.append(incident) }
            }
            let hasMore = incidents.count > query.limit
            incidents = Array(incidents.prefix(query.limit))
            let last = incidents.last.map { IncidentCursor(isOpen: $0.isOpen, number: $0.number) }
            return IncidentPage(
                incidents: incidents,
                openCount: Int(clamping: try rows.count(0, 0)),
                next: hasMore ? last : nil
            )
        }
    }

    private static let pageStatement = Statement(
        """
        SELECT n.open, \(IncidentRows.columns)
        FROM (SELECT count(*) AS open FROM incidents WHERE closed IS NULL) n LEFT JOIN LATERAL (
          SELECT * FROM incidents i
          WHERE ($1::boolean IS NULL OR (i.closed IS NULL) = $1::boolean)
            AND (cardinality($2::text[]) = 0 OR EXISTS (
              SELECT FROM incident_members m WHERE m.incident = i.number AND m.target = ANY($2::text[])))
            AND (cardinality($3::text[]) = 0 OR EXISTS (
              SELECT FROM incident_members m WHERE m.incident = i.number AND m."group" = ANY($3::text[])))
            AND ($4::bigint IS NULL OR i.closed IS NULL OR i.closed >= $4::bigint)
            AND ($5::bigint IS NULL OR i.opened < $5::bigint)
            AND ($6::boolean IS NULL OR CASE WHEN i.closed IS NULL THEN $6::boolean AND i.number < $7::bigint
              ELSE $6::boolean OR i.number < $7::bigint END)
          ORDER BY i.closed IS NULL DESC, i.number DESC LIMIT $8::bigint) i ON true
        ORDER BY i.closed IS NULL DESC, i.number DESC
        """,
        name: "incident_list"
    )

    /// Reads an incident with some of its members, in the order in which they joined; nil for an unknown id.
    ///
    /// - Parameters:
    ///   - position: the place of the first member; 0 to begin.
    ///   - limit: the maximum number of members.
    package static func details(of id: String, from position: Int, limit: Int) -> FleetQuestion<IncidentDetails?> {
        let parameters: [DatabaseValue] = [.text(id), .integer(Int64(position)), .integer(Int64(limit) + 1)]
        return FleetQuestion(detailsStatement, parameters) { rows throws(DatabaseError) in
            guard rows.rowCount > 0, let incident = try IncidentRows.incident(rows, 0) else { return nil }
            var members: [IncidentMember] = []
            let first = IncidentRows.columnCount
            for row in 0..<rows.rowCount where try !rows.isNull(row, first) {
                if let found = try IncidentRows.member(rows, row, from: first) { members.append(found.member) }
            }
            let hasMore = members.count > limit
            return IncidentDetails(
                incident: incident,
                members: Array(members.prefix(limit)),
                next: hasMore ? position + limit : nil
            )
        }
    }

    private static let detailsStatement = Statement(
        """
        SELECT \(IncidentRows.columns), \(IncidentRows.memberColumns)
        FROM incidents i LEFT JOIN LATERAL (
          SELECT * FROM incident_members m WHERE m.incident = i.number ORDER BY m.first, m.target
          OFFSET $2::bigint LIMIT $3::bigint) m ON true
        WHERE i.id = $1::text ORDER BY m.first, m.target
        """,
        name: "incident"
    )

    /// Stores a person's change for the coordinator, which is notified; nil when there is no such incident.
    ///
    /// - Returns: the number of the change.
    package static func edit(_ id: String, _ edit: IncidentEdit) -> FleetQuestion<Int64?> {
        FleetQuestion(editStatement, [.text(id), .text(StoredEdit.text(edit))]) { rows throws(DatabaseError) in
            rows.rowCount == 1 ? try rows.integer(0, 0) : nil
        }
    }

    private static let editStatement = Statement(
        """
        WITH e AS (
          INSERT INTO incident_edits (incident, edit, at)
          SELECT id, $2::text, \(DatabaseClock.now) FROM incidents WHERE id = $1::text RETURNING id)
        SELECT e.id, \(FleetChannel.work.notify()) FROM e
        """,
        name: "edit_incident"
    )

    /// Whether the coordinator has taken a change.
    package static func isTaken(_ edit: Int64) -> FleetQuestion<Bool> {
        FleetQuestion(takenStatement, [.integer(edit)]) { rows throws(DatabaseError) in try rows.bool(0, 0) }
    }

    private static let takenStatement = Statement(
        "SELECT NOT EXISTS (SELECT FROM incident_edits WHERE id = $1::bigint)",
        name: "edit_taken"
    )
}
