// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// A connection that reads while another writes; behind its owner's lock.
struct SQLiteEventReader: Sendable {
    private let database: SQLiteDatabase
    private let select: SQLiteStatement

    init(path: String) throws(HistoryError) {
        database = try SQLiteDatabase(path: path, mode: .readOnly, patience: 1000)
        try database.execute("PRAGMA cache_size = -512")
        select = try database.prepare(SQLiteEventRow.select, isKept: true)
    }

    func events(after sequence: UInt64, limit: Int) throws(HistoryError) -> [RecordedEvent] {
        try select.bind(1, Int64(clamping: sequence))
        try select.bind(2, Int64(limit))
        defer { select.reset() }
        var events: [RecordedEvent] = []
        while try select.step() { events.append(try SQLiteEventRow.event(select)) }
        return events
    }

    /// What the names of marks begin with in the table `meta`.
    static let markPrefix = "mark:"

    func marks() throws(HistoryError) -> [String: String] {
        let rows = try database.prepare("SELECT name, value FROM meta WHERE name >= 'mark:' AND name < 'mark;'")
        var marks: [String: String] = [:]
        while try rows.step() {
            guard let name = rows.text(0), let value = rows.text(1) else { continue }
            marks[String(name.dropFirst(Self.markPrefix.count))] = value
        }
        return marks
    }

    func incidents() throws(HistoryError) -> [StoredIncident] { try SQLiteIncidentTable.read(database) }

    func lastProblems(through sequence: UInt64) throws(HistoryError) -> [RecordedEvent] {
        let rows = try database.prepare(SQLiteEventRow.selectLastProblems)
        try rows.bind(1, Int64(clamping: sequence))
        var events: [RecordedEvent] = []
        while try rows.step() { events.append(try SQLiteEventRow.event(rows)) }
        return events
    }

    func gaps() throws(HistoryError) -> [EventGap] {
        let rows = try database.prepare("SELECT first, last, began, ended, reason FROM gaps ORDER BY first")
        var gaps: [EventGap] = []
        while try rows.step() { gaps.append(try Self.gap(rows)) }
        return gaps
    }

    static func gap(_ row: SQLiteStatement) throws(HistoryError) -> EventGap {
        guard let first = row.integer(0), let last = row.integer(1), first > 0, first <= last else {
            throw HistoryError(.corrupt, "a gap of the log is invalid")
        }
        return EventGap(
            first: UInt64(first),
            last: UInt64(last),
            began: Timestamp(milliseconds: row.integer(2) ?? 0),
            ended: Timestamp(milliseconds: row.integer(3) ?? 0),
            reason: row.text(4).flatMap(HistoryError.Code.init) ?? .other
        )
    }

    static func bind(_ gap: EventGap, to statement: SQLiteStatement) throws(HistoryError) {
        try statement.bind(1, Int64(clamping: gap.first))
        try statement.bind(2, Int64(clamping: gap.last))
        try statement.bind(3, gap.began.milliseconds)
        try statement.bind(4, gap.ended.milliseconds)
        try statement.bind(5, gap.reason.rawValue)
    }

    func oldestTime() throws(HistoryError) -> Timestamp? {
        try database.integer("SELECT at FROM events ORDER BY sequence LIMIT 1").map(Timestamp.init(milliseconds:))
    }
}
