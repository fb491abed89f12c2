// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Incidents in a log's file: one row for each, and one for each of its members. Written in the transaction of the events that tell
/// of them.
enum SQLiteIncidentTable {
    /// The maximum number of incidents that are read, of members of all together, and of bytes of one incident.
    private static let maximumIncidents = 100_000
    private static let maximumMembers = 2_000_000
    private static let maximumLength = 1 << 20
    /// Closed incidents that one step of trimming removes.
    static let trimStep = 64

    private static let insert = "INSERT OR REPLACE INTO incidents VALUES(?1, ?2, ?3)"
    private static let insertMember =
        "INSERT OR REPLACE INTO incident_members VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"

    // MARK: Writing

    /// Writes what events tell, in their order; within the caller's transaction.
    static func write(_ changes: [IncidentChange], to database: SQLiteDatabase) throws(HistoryError) {
        guard !changes.isEmpty else { return }
        let member = try database.prepare(insertMember)
        for change in changes {
            for record in change.joined + change.left + change.changed {
                try write(record, of: change.incident.number, with: member)
            }
        }
        // Of several states of one incident the last counts.
        var last: [UInt64: Incident] = [:]
        for change in changes { last[change.incident.number] = change.incident }
        let incident = try database.prepare(insert)
        for record in last.values { try write(record, with: incident) }
        try remove(changes.flatMap(\.dropped), from: database)
    }

    /// Replaces all rows; within the caller's transaction.
    static func replace(with all: [StoredIncident], in database: SQLiteDatabase) throws(HistoryError) {
        try database.execute("DELETE FROM incidents; DELETE FROM incident_members")
        let incident = try database.prepare(insert)
        let member = try database.prepare(insertMember)
        for stored in all {
            try write(stored.incident, with: incident)
            for record in stored.members { try write(record, of: stored.incident.number, with: member) }
        }
    }

    /// Removes some incidents that were closed before a time; within the caller's transaction.
    ///
    /// - Returns: Whether there may be more.
    static func trim(closedBefore moment: Int64, in database: SQLiteDatabase) throws(HistoryError) -> Bool {
        let select = try database.prepare(
            "SELECT number FROM incidents WHERE closed < ?1 ORDER BY closed LIMIT \(trimStep)"
        )
        try select.bind(1, moment)
        var numbers: [UInt64] = []
        while try select.step() { numbers.append(UInt64(clamping: select.integer(0) ?? 0)) }
        try remove(numbers, from: database)
        return numbers.count == trimStep
    }

    private static func remove(_ numbers: [UInt64], from database: SQLiteDatabase) throws(HistoryError) {
        guard !numbers.isEmpty else { return }
        for sql in ["DELETE FROM incidents WHERE number = ?1", "DELETE FROM incident_members WHERE incident = ?1"] {
            let statement = try database.prepare(sql)
            for number in numbers {
                try statement.bind(1, Int64(clamping: number))
                try statement.run()
            }
        }
    }

    private static func write(_ incident: Incident, with statement: SQLiteStatement) throws(HistoryError) {
        try statement.bind(1, Int64(clamping: incident.number))
        try statement.bind(2, incident.closedAt?.milliseconds)
        try statement.bind(3, utf8: incident.stored)
        try statement.run()
    }

    private static func write(
        _ member: IncidentMember,
        of number: UInt64,
        with statement: SQLiteStatement
    ) throws(HistoryError) {
        try statement.bind(1, Int64(clamping: number))
        try statement.bind(2, member.target)
        try statement.bind(3, member.name)
        try statement.bind(4, member.group)
        try statement.bind(5, member.state.rawValue)
        try statement.bind(6, member.first.milliseconds)
        try statement.bind(7, member.from.milliseconds)
        try statement.bind(8, member.until?.milliseconds)
        try statement.bind(9, member.end?.rawValue)
        try statement.bind(10, Int64(member.turns))
        try statement.bind(11, Int64(member.distance.rawValue))
        try statement.run()
    }

    // MARK: Reading

    /// Reads all incidents with their members, oldest first; rows that are damaged are skipped.
    static func read(_ database: SQLiteDatabase) throws(HistoryError) -> [StoredIncident] {
        let select = try database.prepare(
            """
            SELECT number, data FROM incidents WHERE number > 0 AND length(data) <= \(maximumLength)
            ORDER BY number DESC LIMIT \(maximumIncidents)
            """
        )
        var all: [StoredIncident] = []
        var places: [Int64: Int] = [:]
        while try select.step() {
            guard let number = select.integer(0), number < SQLiteFileCheck.largestSequence,
                let incident = Incident(stored: select.bytes(1) ?? [], number: UInt64(clamping: number))
            else { continue }
            places[number] = all.count
            all.append(StoredIncident(incident, members: []))
        }
        let members = try database.prepare(
            """
            SELECT incident, target, name, "group", state, first, "from", until, end, turns, distance
            FROM incident_members ORDER BY incident DESC, first LIMIT \(maximumMembers)
            """
        )
        while try members.step() {
            guard let place = members.integer(0).flatMap({ places[$0] }), let member = member(members) else { continue }
            all[place].members.append(member)
        }
        return all.reversed()
    }

    private static func member(_ row: SQLiteStatement) -> IncidentMember? {
        guard let target = row.text(1), !target.isEmpty, target.utf8.count <= 128,
            let state = row.text(4).flatMap(TargetState.init), let first = moment(row, 5), let from = moment(row, 6),
            let distance = row.integer(10).flatMap(UInt8.init(exactly:)).flatMap(FaultDistance.init)
        else { return nil }
        let until = moment(row, 7)
        return IncidentMember(
            target: target,
            name: row.text(2),
            group: row.text(3),
            state: state,
            first: first,
            from: from,
            until: until,
            end: until == nil ? nil : row.text(8).flatMap(IncidentMember.End.init) ?? .recovered,
            turns: Int(min(max(row.integer(9) ?? 1, 1), Int64(Int32.max))),
            distance: distance
        )
    }

    private static func moment(_ row: SQLiteStatement, _ column: Int32) -> Timestamp? {
        guard let milliseconds = row.integer(column),
            (-SQLiteFileCheck.latestMillisecond...SQLiteFileCheck.latestMillisecond).contains(milliseconds)
        else { return nil }
        return Timestamp(milliseconds: milliseconds)
    }
}
