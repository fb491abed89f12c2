// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport
import Testing

@testable import History
@testable import Monitoring

@Suite("Incidents in an SQLite file")
struct SQLiteIncidentTests {
    private let folder: TemporaryFolder
    private let now = Timestamp(milliseconds: 1_795_000_000_000)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store(_ schema: SQLiteSchema = .current) throws -> SQLiteEventStore {
        try SQLiteEventStore(path: folder.path(of: "log.db"), schema: schema)
    }

    /// A registry's worth of incidents: so many, each with one closed and one open member.
    private func incidents(_ count: Int, isClosed: Bool = false) -> [StoredIncident] {
        var book = IncidentBook()
        for number in 0..<count {
            for name in ["a", "b"] {
                let cause = IncidentCause(.refusal, "198.51.100.\(number)")
                book.take(observation("\(name)\(number)", .failing(cause, .target, .down)))
            }
            book.take(observation("a\(number)", .up))
            if isClosed { book.take(observation("b\(number)", .up)) }
        }
        _ = book.settle(epoch: "e", after: 0)
        return book.stored
    }

    private func observation(_ target: String, _ condition: IncidentObservation.Condition) -> IncidentObservation {
        IncidentObservation(target: target, name: "N", group: "g", condition: condition, at: now)
    }

    @Test("All parts are there after the file is opened again")
    func reopening() throws {
        let all = incidents(20)
        do { try store().setIncidents(all) }
        let read = try store().incidents()
        #expect(read.map(\.incident.stored) == all.map(\.incident.stored))
        #expect(read.map(\.incident.number) == all.map(\.incident.number))
        #expect(read.map(\.members.count) == all.map(\.members.count))
        let members = read.flatMap(\.members).sorted { $0.target < $1.target }
        for (one, other) in zip(members, all.flatMap(\.members).sorted { $0.target < $1.target }) {
            #expect(one.target == other.target && one.name == "N" && one.group == "g" && one.state == other.state)
            #expect(one.first == other.first && one.from == other.from && one.until == other.until)
            #expect(one.end == other.end && one.turns == other.turns && one.distance == other.distance)
        }
        try store().setIncidents([])
        #expect(try store().incidents().isEmpty)
    }

    @Test("A file of version 2 keeps its events and takes incidents")
    func earlier() throws {
        do {
            let old = try store(SQLiteSchema(migrations: Array(SQLiteSchema.current.migrations.prefix(2))))
            try old.append((1...5).events)
            old.close()
        }
        let new = try store()
        #expect(try new.events(after: 0, limit: 9) == (1...5).events && new.incidents().isEmpty)
        try new.setIncidents(incidents(1))
        #expect(try new.incidents().count == 1)
    }

    @Test("Incidents that were closed too long ago are removed with their members; open ones stay")
    func trimming() throws {
        let store = try store()
        try store.setIncidents(incidents(70, isClosed: true) + [])
        let limit = RetentionLimit(age: .seconds(10))
        while try store.trim(to: limit, now: Timestamp(milliseconds: now.milliseconds + 10_000)) {}
        #expect(try store.incidents().count == 70)
        #expect(try store.trim(to: limit, now: Timestamp(milliseconds: now.milliseconds + 10_001)), "there is more")
        while try store.trim(to: limit, now: Timestamp(milliseconds: now.milliseconds + 10_001)) {}
        #expect(try store.incidents().isEmpty)
        let database = try SQLiteDatabase(path: folder.path(of: "log.db"), mode: .readOnly)
        #expect(try database.integer("SELECT count(*) FROM incident_members") == 0)
        try store.setIncidents(incidents(3))
        while try store.trim(to: limit, now: Timestamp(milliseconds: now.milliseconds + 99_000)) {}
        #expect(try store.incidents().count == 3)
    }

    @Test(
        "Rows that reachd could not have written are skipped",
        arguments: [
            "UPDATE incidents SET data = '[]'", "UPDATE incidents SET data = '{\"id\":\"x\"}'",
            "UPDATE incidents SET number = -number",
            "UPDATE incidents SET data = replace(data, '\"refusal\"', '\"none\"')",
            "UPDATE incidents SET data = replace(data, '\"down\"', '\"up\"')",
            "UPDATE incidents SET data = replace(data, '\"evidence\":\"{}\"', '\"evidence\":\"}\"')",
        ]
    )
    func damage(_ sql: String) throws {
        let store = try store()
        try store.setIncidents(incidents(2))
        let database = try SQLiteDatabase(path: folder.path(of: "log.db"), mode: .readWrite)
        try database.execute(sql)
        #expect(try store.incidents().isEmpty)
    }

    @Test("Damaged members are skipped, and an incident without members is not taken")
    func damagedMembers() throws {
        let store = try store()
        try store.setIncidents(incidents(1))
        let database = try SQLiteDatabase(path: folder.path(of: "log.db"), mode: .readWrite)
        try database.execute("UPDATE incident_members SET distance = 300 WHERE target = 'a0'")
        #expect(try store.incidents().first?.members.map(\.target) == ["b0"])
        try database.execute("UPDATE incident_members SET first = 9223372036854775807")
        #expect(try store.incidents().first?.members.isEmpty == true)
        var book = IncidentBook()
        book.restore(try store.incidents())
        #expect(book.page(IncidentQuery()).incidents.isEmpty)
    }
}
