// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Receivers in PostgreSQL",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct ReceiverDatabaseTests {
    private static func offer(_ node: String, _ elements: String, _ fleet: StagedFleet) async throws {
        try await fleet.client.execute(
            "UPDATE nodes SET receivers = $2::text[] WHERE name = $1::text",
            [.text(node), .text(elements)]
        )
    }

    private static func receivers(_ fleet: StagedFleet) throws -> [String] {
        try fleet.database.query("SELECT name, digest, node, consumed, progress FROM receivers ORDER BY name")
    }

    private static func token(_ name: String, _ fleet: StagedFleet) async throws -> Int64 {
        try await fleet.number("SELECT token FROM receivers WHERE name = '\(name)'")
    }

    private static func store(
        _ fleet: StagedFleet,
        _ node: String,
        token: Int64,
        consumed: Int64,
        incarnation: Int64 = 1,
        epoch: String = "00000000000000a1"
    ) async throws -> Int {
        try await fleet.client.execute(
            ReceiverStatements.store,
            [
                .text(node), .integer(incarnation), .text(epoch), .texts(["ops"]), .integers([token]),
                .integers([consumed]), .texts(["\(consumed)"]), .texts([nil]),
            ]
        ).rowCount
    }

    @Test("The coordinator assigns what nodes offer; a receiver of a lost node moves with a new token and its offset")
    func assignment() async throws {
        let fleet = try await StagedFleet()
        let settings = FleetSettings(lease: .seconds(3600))
        let hosts = try await fleet.hosts(1, settings: settings)
        for name in ["a", "b"] { try await fleet.addNode(name, in: "l") }
        try await fleet.client.execute("UPDATE log_head SET seq = 7")
        // Elements that another program wrote are left out.
        try await Self.offer("a", #"{"d1 ops","broken","d2 mail/10.0.0.1:25"}"#, fleet)
        await hosts[0].claim()
        try await fleet.until { try Self.receivers(fleet).count == 2 }
        #expect(try Self.receivers(fleet) == ["mail/10.0.0.1:25|d2|a|7|", "ops|d1|a|7|"])
        let first = try await Self.token("ops", fleet)
        try await fleet.client.execute("UPDATE log_head SET seq = 10")
        // Behind the newest event: of a log of which events were lost.
        #expect(try await Self.store(fleet, "a", token: first, consumed: 99) == 0)
        #expect(try await Self.store(fleet, "a", token: first, consumed: 9) == 1)
        // Another definition of the node that serves it.
        try await Self.offer("a", #"{"d3 ops"}"#, fleet)
        try await fleet.until { try Self.receivers(fleet).contains("ops|d3|a|9|9") }
        #expect(try Self.receivers(fleet).contains("mail/10.0.0.1:25|d2||7|"))
        #expect(try await Self.token("ops", fleet) == first)
        try await Self.offer("b", #"{"d3 ops"}"#, fleet)
        try await fleet.client.execute("UPDATE nodes SET departed = true WHERE name = 'a'")
        try await fleet.until { try Self.receivers(fleet).contains("ops|d3|b|9|9") }
        let second = try await Self.token("ops", fleet)
        #expect(second > first)
        // The earlier node may not store any more; the later one may, as this run and in this run of the log.
        #expect(try await Self.store(fleet, "a", token: first, consumed: 10) == 0)
        #expect(try await Self.store(fleet, "b", token: first, consumed: 10) == 0)
        #expect(try await Self.store(fleet, "b", token: second, consumed: 10, incarnation: 2) == 0)
        #expect(try await Self.store(fleet, "b", token: second, consumed: 10, epoch: "other") == 0)
        #expect(try Self.receivers(fleet).contains("ops|d3|b|9|9"))
        #expect(try await Self.store(fleet, "b", token: second, consumed: 10) == 1)
        let position: (String, Int64) async throws -> DatabaseRows = { node, token in
            let parameters: [DatabaseValue] = [.text("ops"), .text(node), .integer(token)]
            return try await fleet.client.execute(ReceiverStatements.position, parameters)
        }
        #expect(try await position("a", first).rowCount == 0)
        let rows = try await position("b", second)
        #expect(try (rows.integer(0, 0), rows.text(0, 1)) == (10, "10"))
        #expect(try rows.text(0, 2) == "00000000000000a1")
        #expect(try await rows.integer(0, 3) == fleet.number("SELECT seq FROM log_head"))
        // What nobody offers is forgotten after a day.
        try await fleet.client.execute("UPDATE receivers SET since = 1 WHERE node IS NULL")
        await hosts[0].resign()
        try await fleet.vacate()
        await hosts[0].reinstate()
        await hosts[0].claim()
        try await fleet.until { try Self.receivers(fleet) == ["ops|d3|b|10|10"] }
    }

    @Test("Changes of a progress are stored beside it")
    func changes() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("a", in: "l")
        try await fleet.client.execute("UPDATE log_head SET seq = 7")
        try await fleet.client.execute(
            "INSERT INTO receivers (name, digest, node, token, since, consumed) VALUES ('ops', 'd', 'a', 3, 0, 5)"
        )
        for (progress, changes, expected) in [("p", nil, "p|"), (nil, "c", "p|c"), (nil, "d", "p|d"), ("q", nil, "q|")]
            as [(String?, String?, String)]
        {
            let values: [DatabaseValue] = [
                .text("a"), .integer(1), .text("00000000000000a1"), .texts(["ops"]), .integers([3]), .integers([6]),
                .texts([progress]), .texts([changes]),
            ]
            #expect(try await fleet.client.execute(ReceiverStatements.store, values).rowCount == 1)
            #expect(try fleet.database.query("SELECT progress, changes FROM receivers") == [expected])
        }
    }

    @Test("A coordinator that was replaced assigns nothing")
    func replaced() async throws {
        let fleet = try await StagedFleet()
        try await fleet.client.execute("UPDATE log_head SET coordinator = 'x', incarnation = 1, token = 5")
        let values: [DatabaseValue] = [.texts(["ops"]), .texts(["d"]), .texts(["a"]), .texts([])]
        for (token, count) in [(4, 0), (5, 1)] as [(Int64, Int)] {
            let guardian: [DatabaseValue] = [.text("x"), .integer(1), .integer(token)]
            let rows = try await fleet.client.execute(ReceiverStatements.assign, guardian + values)
            #expect(rows.rowCount == count)
            #expect(try Self.receivers(fleet).count == count)
        }
    }

    @Test("A session offers its receivers, and learns from renewals which ones it serves and how long it may send")
    func session() async throws {
        let database = try FleetDatabase()
        let host = try SessionHost(name: "a", settings: try database.settings())
        let shared = SharedReceivers()
        let renewals = Recorder<[ReceiverGrant]>()
        shared.onChange { renewals.record(shared.grants) }
        host.run { parts in
            let receivers = NodeReceivers(session: parts.session, shared: shared)
            receivers.offer([ReceiverOffer(name: "ops", digest: "d"), ReceiverOffer(name: "a b", digest: "e")])
            parts.session.renewed = { receivers.renewed($0, reported: 0) }
        }
        #expect(!shared.isLeaseValid(at: host.loop.clock.now()))
        host.start()
        _ = try await renewals.next { $0.isEmpty }
        #expect(shared.isLeaseValid(at: host.loop.clock.now()))
        try await awaitRow(database, "SELECT receivers FROM nodes", #"{"e a b","d ops"}"#)
        try database.query(
            "INSERT INTO receivers (name, digest, node, token, since, consumed) VALUES ('ops', 'd', 'a', 3, 0, 0)"
        )
        _ = try await renewals.next { $0 == [ReceiverGrant(name: "ops", token: 3)] }
        host.run { $0.session.renewed = nil }
    }

    private func awaitRow(_ database: FleetDatabase, _ sql: String, _ expected: String) async throws {
        for _ in 0..<10_000 {
            if try database.query(sql) == [expected] { return }
        }
        Issue.record("\(sql) is not \(expected)")
    }

    @Test("What was wrong at a place of the log, what is wrong now, and what targets are called")
    func problems() async throws {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.declare([
            FleetDeclaration(id: "a", text: #"{"id":"a","name":"The \"shop\""}"#, group: "g", tags: ["env:prod"]),
            FleetDeclaration(id: "b", text: #"{"id":"b"}"#),
        ])
        try await scene.log(
            """
            SELECT 'state' AS type, t AS target, f AS from_state, s AS to_state, '{"to":"' || s || '"}' AS data, n AS at
            FROM (VALUES (1, 'a', 'up', 'down'), (2, 'b', 'up', 'degraded'), (3, 'a', 'down', 'paused'), (4, 'b', 'degraded', 'up'),
              (5, 'c', 'up', 'down')) AS x(n, t, f, s) ORDER BY n
            """
        )
        let reader = try scene.makeReader()
        func found(_ through: UInt64) async throws -> [String] {
            let question = FleetProblems.question(of: ["a", "b", "gone"], through: through)
            return try await reader.answer(question).map { "\($0.sequence) \($0.target ?? "")" }
        }
        // A pause is no judgement: what was wrong before it still is.
        #expect(try await found(0) == [])
        #expect(try await found(2).count == 2)
        #expect(try await found(3) == ["1 a", "2 b"])
        #expect(try await found(5) == ["1 a"])
        let targets = try await reader.answer(ReceiverTarget.question(["a", "b", "gone"]))
        #expect(targets.keys.sorted() == ["a", "b"])
        #expect(targets["a"] == ReceiverTarget(name: #"The "shop""#, group: "g", tags: ["env": "prod"]))
        #expect(targets["b"]?.name == nil)
        #expect(try await reader.answer(FleetProblems.current).isEmpty)
        try await scene.admin.execute(
            "UPDATE verdicts SET state = 'down', reason = 'connect_refused', detail = 'no \"way\"', cause = 'target' WHERE target = 'b'"
        )
        let current = try await reader.answer(FleetProblems.current)
        #expect(current.map(\.target) == ["b"] && current.map(\.sequence) == [5])
        #expect(current[0].transition?.to == .down && current[0].detail == #"no "way""#)
    }
}
