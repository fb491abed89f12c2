// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "The last heartbeat of a target in the database",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct HeartbeatDatabaseTests {
    private static let stored = "SELECT target, kind, detail, command FROM heartbeats ORDER BY target"
    /// Of a node that has all shards: ids, actions and detail of the last heartbeats, and whether they are a minute old or less.
    private func heartbeats(_ client: SchemaClient, besides known: [AssignedTarget] = []) async throws
        -> [TargetCommand]
    {
        var list = OwnTargets()
        list.append(try await ask(OwnTargets.page(of: "a", after: 0), client))
        return list.heartbeats(besides: known)
    }

    private func ask<Answer>(_ question: FleetQuestion<Answer>, _ client: SchemaClient) async throws -> Answer {
        try question.read(try await client.execute(question.statement.sql, question.parameters))
    }

    private func makeFleet(_ ids: [String], _ text: String = "{}") async throws -> (
        node: SchemaClient, admin: SchemaClient
    ) {
        let (node, admin) = try await SharedServer.makeFleet()
        try await declare(ids, text, node)
        try await admin.execute(
            """
            INSERT INTO assignments (placement, shard, location, node, token, since)
            SELECT p.id, n, 'berlin', 'a', 1, 1 FROM placements p, generate_series(0, 1023) AS n
            """
        )
        return (node, admin)
    }

    private func declare(_ ids: [String], _ text: String, _ node: SchemaClient) async throws {
        let declarations = ids.map {
            FleetDeclaration(id: $0, placement: .single, text: text, interval: .seconds(1))
        }
        try await node.declare(FleetDocument(source: "main", declarations: declarations))
    }

    @Test("The newest heartbeat is stored, a probe is not, and a new owner reads it with its age")
    func newest() async throws {
        let (node, admin) = try await makeFleet(["a", "b"])
        for action in [
            TargetCommand.Action.heartbeat(isFailure: false, detail: nil),
            .heartbeat(isFailure: true, detail: "no tape"), .probe,
        ] {
            #expect(try await ask(TargetCommand.store(action, target: "a"), node))
        }
        #expect(try await !ask(TargetCommand.store(.heartbeat(isFailure: false, detail: nil), target: "c"), node))
        let newest = try await node.table("SELECT id FROM commands WHERE kind = 'fail'")[0]
        #expect(try await node.table(Self.stored) == ["a fail no tape \(newest)"])
        // As commands they are not carried out any more.
        try await admin.execute("UPDATE heartbeats SET at = at - 3600000000")
        try await admin.execute("DELETE FROM commands")
        let found = try await heartbeats(node)
        #expect(found.map(\.target) == ["a"] && found.map(\.id) == [Int64(newest)])
        #expect(found.map(\.action) == [.heartbeat(isFailure: true, detail: "no tape")])
        #expect(found.allSatisfy { $0.age >= .seconds(3_600) && $0.age < .seconds(3_660) })
        let target = AssignedTarget(id: "a", shard: Shard(placement: 1, number: 1), declaration: "")
        #expect(try await heartbeats(node, besides: [target]).isEmpty)
    }

    @Test("A command for a heartbeat has its age as well")
    func command() async throws {
        let (node, admin) = try await makeFleet(["a"])
        #expect(try await ask(TargetCommand.store(.heartbeat(isFailure: false, detail: nil), target: "a"), node))
        try await admin.execute("UPDATE commands SET at = at - 100000000")
        let commands = try await ask(TargetCommand.read(for: "a", after: 0), node)
        #expect(commands.count == 1 && commands[0].age >= .seconds(100) && commands[0].age < .seconds(160))
    }

    @Test("What another program wrote and makes no sense is ignored, and the targets are read all the same")
    func hostile() async throws {
        let ids = (0..<6).map { "t\($0)" }
        let (node, admin) = try await makeFleet(ids)
        let values = [
            "('t0', 1, \(Int64.max), 'ok', NULL)", "('t1', 1, \(Int64.min), 'ok', NULL)", "('t2', 1, 0, 'up', NULL)",
            "('t3', 1, 0, 'probe', NULL)", "('t4', \(Int64.min), -1, '', repeat('x', 100000))",
            "('t5', \(Int64.min), 0, 'fail', repeat('x', 100000))",
        ]
        try await admin.execute("INSERT INTO heartbeats VALUES \(values.joined(separator: ", "))")
        #expect(try await ask(OwnTargets.page(of: "a", after: 0), node).count == 6)
        let found = try await heartbeats(node)
        #expect(found.map(\.target) == ["t5"])
        #expect(found.map(\.action) == [.heartbeat(isFailure: true, detail: String(repeating: "x", count: 1_000))])
    }

    @Test("A target that was changed, removed or resumed has no heartbeat of before")
    func forgotten() async throws {
        let (node, _) = try await makeFleet(["a", "b", "c", "d"])
        for id in ["a", "b", "c", "d"] {
            #expect(try await ask(TargetCommand.store(.heartbeat(isFailure: false, detail: nil), target: id), node))
        }
        _ = try await ask(FleetPause.question(true, target: "a"), node)
        #expect(try await node.table("SELECT target FROM heartbeats ORDER BY 1") == ["b", "c", "d"])
        #expect(try await ask(TargetCommand.store(.heartbeat(isFailure: false, detail: nil), target: "a"), node))
        _ = try await ask(FleetPause.question(false, target: "a"), node)
        #expect(try await node.table("SELECT target FROM heartbeats ORDER BY 1") == ["b", "c", "d"])
        try await declare(["a", "b", "c"], "{}", node)
        #expect(try await node.table("SELECT target FROM heartbeats ORDER BY 1") == ["b", "c"])
        try await declare(["a", "b", "c"], #"{"n":1}"#, node)
        #expect(try await node.table("SELECT target FROM heartbeats ORDER BY 1") == [])
    }

    @Test("Heartbeats that were taken without the database replace older ones, and not newer ones")
    func backlog() async throws {
        let (node, admin) = try await makeFleet(["a", "b"])
        for id in ["a", "b"] {
            #expect(try await ask(TargetCommand.store(.heartbeat(isFailure: false, detail: nil), target: id), node))
        }
        try await admin.execute("UPDATE heartbeats SET at = at - 60000000 WHERE target = 'a'")
        let parameters: [DatabaseValue] = [
            .texts(["b", "a", "gone"]), .texts(["fail", "fail", "ok"]), .texts([nil, "alone", nil]),
            .integers([30_000_000, 30_000_000, 0]),
        ]
        try await node.execute(HeartbeatBacklog.statement.sql, parameters)
        let rows = try await node.table("SELECT target, kind, detail FROM heartbeats ORDER BY target")
        #expect(rows == ["a fail alone", "b ok -"])
    }
}
