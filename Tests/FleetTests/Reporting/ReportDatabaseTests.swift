// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Reports in PostgreSQL",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct ReportDatabaseTests {
    private static func batch(_ numbers: ClosedRange<UInt64>) -> ReportBatch {
        var batch = ReportBatch()
        for number in numbers {
            let report = Report.vote(
                Report.Observation(target: "t\(number)", state: .down, since: .seconds(1)),
                sequence: number,
                key: ListedSource.key(0),
                token: 1,
                at: .seconds(2)
            )
            batch.entries.append(ReportBatch.Entry(position: LocalPosition(sequence: number, index: 0), report: report))
        }
        return batch
    }

    private static func send(
        _ batch: ReportBatch,
        by client: FleetClient,
        incarnation: Int64 = 1,
        epoch: String = "e1"
    ) async throws -> Int64? {
        let rows = try await client.execute(
            ReportStatements.report,
            [.text("n"), .integer(incarnation), .text(epoch)] + batch.columns(skew: .zero)
                + [.bool(false)]
        )
        return rows.rowCount == 0 ? nil : try rows.integer(0, 0)
    }

    private static func makeNode(_ database: FleetDatabase) throws {
        try database.query(
            """
            INSERT INTO nodes (name, incarnation, location, version, capacity, since, until, resumed, epoch)
            VALUES ('n', 1, 'berlin', '1', 1, 0, 0, 0, 'e1')
            """
        )
    }

    @Test("The same and overlapping batches sent by several sessions at once are stored once")
    func concurrentDuplicates() async throws {
        let database = try FleetDatabase()
        try Self.makeNode(database)
        var clients: [FleetClient] = []
        for _ in 0..<6 { clients.append(try await FleetClient(database.settings())) }
        for round in 0..<40 as Range<UInt64> {
            let start = round * 50 + 1
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, client) in clients.enumerated() {
                    // Some sessions have less to send than others.
                    let end = start + (index.isMultiple(of: 2) ? 49 : 24)
                    group.addTask { _ = try await Self.send(Self.batch(start...end), by: client) }
                }
                try await group.waitForAll()
            }
        }
        let inbox = try database.inbox()
        #expect(inbox.count == 2_000)
        #expect(inbox == (1...2_000).map { LocalPosition(sequence: $0, index: 0).stored })
        #expect(
            try database.query("SELECT reported FROM nodes") == ["\(LocalPosition(sequence: 2_000, index: 0).stored)"]
        )
    }

    @Test("The coordinator reads a certificate's change as it was reported")
    func certificate() async throws {
        let database = try FleetDatabase()
        try Self.makeNode(database)
        let client = try await FleetClient(database.settings())
        let data = #"{"changed":[],"names_added":["a\u0000"],"names_removed":[],"old":{},"new":{}}"#
        let report = Report.certificate(
            try #require(Report.Certificate(target: "t", data: Array(data.utf8))),
            sequence: 1,
            key: ListedSource.key(0),
            token: 1,
            at: .seconds(2)
        )
        var batch = ReportBatch()
        batch.entries = [ReportBatch.Entry(position: LocalPosition(sequence: 1, index: 0), report: report)]
        #expect(try await Self.send(batch, by: client) != nil)
        let rows = try await client.execute(CoordinatorStatement.inbox, [.integer(0), .integer(10)])
        #expect(
            try InboxRow(rows, 0).content == .certificate(target: "t", try #require(CertificateEntry(data)))
        )
    }

    @Test("Another incarnation or epoch stores nothing, and an older batch changes nothing")
    func fencing() async throws {
        let database = try FleetDatabase()
        try Self.makeNode(database)
        let client = try await FleetClient(database.settings())
        #expect(try await Self.send(Self.batch(1...3), by: client, incarnation: 2) == nil)
        #expect(try await Self.send(Self.batch(1...3), by: client, epoch: "e2") == nil)
        #expect(try database.inbox() == [])
        let third = LocalPosition(sequence: 3, index: 0).stored
        #expect(try await Self.send(Self.batch(1...3), by: client) == third)
        #expect(try await Self.send(Self.batch(1...2), by: client) == third)
        #expect(try await Self.send(Self.batch(1...3), by: client) == third)
        #expect(try database.inbox().count == 3)
    }

    @Test("A local epoch is begun once, and a position beyond the log's end is reset")
    func epochs() async throws {
        let database = try FleetDatabase()
        try Self.makeNode(database)
        try database.query("UPDATE nodes SET reported = 500")
        let client = try await FleetClient(database.settings())
        func begin(_ epoch: String, _ end: Int64, incarnation: Int64 = 1) async throws -> Int64? {
            let rows = try await client.execute(
                ReportStatements.beginEpoch,
                [.text("n"), .integer(incarnation), .text(epoch), .integer(end)]
            )
            return rows.rowCount == 0 ? nil : try rows.integer(0, 0)
        }
        #expect(try await begin("e1", 500) == 500)
        #expect(try await begin("e1", 499) == 0)
        try database.query("UPDATE nodes SET reported = 500")
        #expect(try await begin("e2", 9_000) == 0)
        try database.query("UPDATE nodes SET reported = 600")
        #expect(try await begin("e2", 9_000) == 600)
        #expect(try await begin("e3", 9_000, incarnation: 2) == nil)
    }

    @Test("Ten thousand reports are stored in three batches, with every value as it was")
    func largeBatches() async throws {
        let database = try FleetDatabase()
        try database.assign(0...3, to: "node-1", token: 1)
        let host = try SessionHost(settings: database.settings(statementTimeout: .seconds(30)))
        let details = [
            #"it's "quoted" \ {a,b} NULL, 100 %"#, "🔥👩‍👩‍👧 éß漢字", "two\nlines\tand\r\u{1}", "", "NULL",
            #"{"json": [1, "a"]}"#,
        ]
        host.log { source in
            // The first start reports states; this test is about the events after it.
            source.otherEvents(1)
        }
        host.start()
        try await host.assignments.next()
        try await host.answers.next()
        host.run { parts in
            for number in 0..<10_000 {
                parts.source.vote(
                    "t'\(number)",
                    .down,
                    shard: number % 4,
                    detail: details[number % details.count],
                    at: .seconds(1_700_000_000)
                )
            }
            parts.source.confirm(2)
            parts.session.reportsAvailable()
        }
        try await host.answers.next { $0.reported.sequence == 10_001 }
        #expect(
            try database.query("SELECT count(*), count(DISTINCT local), count(DISTINCT xmin::text) FROM inbox") == [
                "10001|10001|3"
            ]
        )
        #expect(
            try database.query("SELECT max(c) FROM (SELECT count(*) AS c FROM inbox GROUP BY xmin::text) x") == ["4096"]
        )
        #expect(
            try database.query(
                "SELECT bool_and(id = 1 OR local > before) FROM (SELECT id, local, lag(local) OVER (ORDER BY id) AS before FROM inbox) x"
            ) == ["t"]
        )
        #expect(
            try database.query(
                "SELECT node, kind, placement, shard, location, token, target, state, cause, reason FROM inbox LIMIT 1"
            )
                == ["node-1|vote|1|0|berlin|1|t'0|down|target|"]
        )
        let client = try await FleetClient(database.settings())
        let rows = try await client.execute(
            Statement("SELECT detail FROM inbox WHERE kind = 'vote' ORDER BY id LIMIT 6")
        )
        #expect(try (0..<6).map { try rows.text($0, 0) } == details)
        #expect(
            try database.query(
                "SELECT kind, shard, target IS NULL AND state IS NULL AND since IS NULL FROM inbox ORDER BY id DESC LIMIT 1"
            )
                == ["confirmed|2|t"]
        )
        // The clocks of a test are the same one.
        #expect(
            try database.query("SELECT bool_and(abs(at - 1700000000000000) < 1000000) FROM inbox WHERE kind = 'vote'")
                == ["t"]
        )
    }

    @Test("Reports are stored once each while the server is killed again and again in mid-report")
    func killedServer() async throws {
        let database = try FleetDatabase()
        try database.assign(0...0, to: "node-1", token: 1)
        let host = try SessionHost(settings: database.settings())
        host.log { $0.otherEvents(1) }
        host.start()
        try await host.assignments.next()
        var count = 1
        for round in 0..<5 {
            let producer = Task.detached {
                for number in 0..<600 {
                    host.log { $0.vote("t\(round)-\(number)", .down, detail: String(repeating: "'", count: 500)) }
                }
            }
            count += 600
            // In the middle of what is being stored.
            try await host.answers.next(after: max(0, host.answers.count - 1))
            database.server.kill()
            await producer.value
            try database.startAfterKill()
            let end = UInt64(count)
            try await host.answers.next { $0.reported.sequence >= end }
        }
        let inbox = try database.inbox()
        #expect(inbox.count == 3_000)
        #expect(inbox == (2...3_001).map { LocalPosition(sequence: $0, index: 0).stored })
    }

    @Test("A server that is frozen in mid-report and continues later stores nothing twice and nothing too late")
    func frozenInMidReport() async throws {
        let database = try FleetDatabase()
        try database.assign(0...0, to: "node-1", token: 1)
        let host = try SessionHost(
            lease: .seconds(1),
            settings: database.settings(statementTimeout: .milliseconds(300))
        )
        host.log { $0.otherEvents(1) }
        host.start()
        try await host.assignments.next()
        var count = 1
        for round in 0..<3 {
            let mark = host.standings.count
            for number in 0..<50 { host.log { $0.vote("t\(round)-\(number)", .down) } }
            database.server.freeze()
            for number in 50..<100 { host.log { $0.vote("t\(round)-\(number)", .down) } }
            count += 100
            try await host.standings.next(after: mark) { $0.outage != nil }
            database.server.thaw()
            let end = UInt64(count)
            try await host.answers.next { $0.reported.sequence >= end }
        }
        let inbox = try database.inbox()
        #expect(inbox == (2...301).map { LocalPosition(sequence: $0, index: 0).stored })
    }

    @Test("A database that was set back receives what it lost, once")
    func setBack() async throws {
        let database = try FleetDatabase()
        try database.assign(0...0, to: "node-1", token: 1)
        let host = try SessionHost(lease: .seconds(1), settings: database.settings(statementTimeout: .seconds(20)))
        host.log { $0.otherEvents(1) }
        host.start()
        try await host.assignments.next()
        for number in 0..<20 { host.log { $0.vote("t\(number)", .down) } }
        try await host.answers.next { $0.reported.sequence == 21 }
        let half = LocalPosition(sequence: 11, index: 0).stored
        try database.query("UPDATE nodes SET reported = \(half); DELETE FROM inbox WHERE local > \(half)")
        let mark = host.answers.count
        try await host.answers.next(after: mark) { $0.reported.sequence == 21 }
        #expect(try database.inbox() == (2...21).map { LocalPosition(sequence: $0, index: 0).stored })
        // The registration itself is lost: the node registers again and reports the states of all its targets.
        try database.query("DELETE FROM nodes; DELETE FROM inbox")
        try await host.standings.next { $0.identity?.incarnation == 1 && $0.phase == .member }
        try await host.answers.next(after: host.answers.count) { $0.reported.index == LocalPosition.firstComplete }
        #expect(
            try database.query("SELECT count(*), count(DISTINCT target), min(kind), max(kind) FROM inbox") == [
                "20|20|state|state"
            ]
        )
    }
}
