// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
internal import PostgreSQL

/// Incidents and their members as the database has them.
enum IncidentRows {
    /// The columns of an incident, over `incidents i`.
    static let columns = "i.number, i.closed, i.revision, i.total, i.down, i.unreachable, i.degraded, i.data"
    /// The number of ``columns``.
    static let columnCount = 8
    /// The longest data that are read, in bytes.
    static let dataLimit = 1 << 20

    /// The columns of a member, over `incident_members m`.
    static let memberColumns = """
        m.incident, m.target, m.name, m."group", m.state, m.first, m."from", m.until, m."end", m.turns, m.distance
        """

    /// Reads ``columns``; nil when the data are damaged.
    ///
    /// - Parameter column: the first of the columns.
    static func incident(_ rows: DatabaseRows, _ row: Int, from column: Int = 0) throws(DatabaseError) -> Incident? {
        let number = UInt64(clamping: try rows.count(row, column))
        let data = Array(try rows.text(row, column + 7).utf8)
        guard data.count <= dataLimit, let incident = Incident(stored: data, number: number) else { return nil }
        let counts = IncidentCounts(
            total: Int(clamping: try rows.count(row, column + 3)),
            down: Int(clamping: try rows.count(row, column + 4)),
            unreachable: Int(clamping: try rows.count(row, column + 5)),
            degraded: Int(clamping: try rows.count(row, column + 6))
        )
        return incident.with(counts, closedAt: try moment(rows, row, column + 1))
            .with(revision: UInt64(clamping: try rows.count(row, column + 2)))
    }

    /// Reads ``memberColumns``; nil when a value makes no sense.
    ///
    /// - Parameter column: the first of the columns.
    static func member(
        _ rows: DatabaseRows,
        _ row: Int,
        from column: Int = 0
    ) throws(DatabaseError) -> (incident: UInt64, member: IncidentMember)? {
        guard let state = TargetState(rawValue: try rows.text(row, column + 4)),
            let first = try moment(rows, row, column + 5), let from = try moment(rows, row, column + 6),
            let distance = UInt8(exactly: try rows.integer(row, column + 10)).flatMap(FaultDistance.init)
        else { return nil }
        let until = try moment(rows, row, column + 7)
        let end = try rows.optionalText(row, column + 8).flatMap(IncidentMember.End.init)
        let member = IncidentMember(
            target: try rows.text(row, column + 1),
            name: try rows.optionalText(row, column + 2),
            group: try rows.optionalText(row, column + 3),
            state: state,
            first: first,
            from: from,
            until: until,
            end: until == nil ? nil : end ?? .recovered,
            turns: Int(clamping: min(max(try rows.integer(row, column + 9), 1), Int64(Int32.max))),
            distance: distance
        )
        return (UInt64(clamping: try rows.count(row, column)), member)
    }

    private static func moment(_ rows: DatabaseRows, _ row: Int, _ column: Int) throws(DatabaseError) -> Timestamp? {
        guard try !rows.isNull(row, column) else { return nil }
        return Timestamp(try rows.instant(row, column))
    }
}
