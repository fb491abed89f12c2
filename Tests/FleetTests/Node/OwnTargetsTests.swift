// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "The targets of a node",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct OwnTargetsTests {
    /// A node that has all shards with an even number.
    private struct Scene {
        let node: SchemaClient
        let admin: SchemaClient

        init() async throws {
            (node, admin) = try await SharedServer.makeFleet()
        }

        func declare(_ declarations: [FleetDeclaration]) async throws {
            try await node.declare(FleetDocument(source: "main", declarations: declarations))
            try await admin.execute(
                """
                INSERT INTO assignments (placement, shard, location, node, token, since)
                SELECT p.id, n, 'berlin', CASE WHEN n % 2 = 0 THEN 'a' ELSE 'b' END, 1, 1
                FROM placements p, generate_series(0, 1023) AS n ON CONFLICT DO NOTHING
                """
            )
        }

        func version() async throws -> Int64 { try await node.execute("SELECT declared FROM log_head").integer(0, 0) }

        func all() async throws -> OwnTargets {
            var list = OwnTargets()
            while true {
                let page = try await ask(OwnTargets.page(of: "a", after: list.last))
                list.append(page)
                guard page.count == Int(OwnTargets.pageLength) else { return list }
            }
        }

        func changes(since version: Int64) async throws -> OwnTargets.Changes {
            try await ask(OwnTargets.changes(of: "a", since: version))
        }

        private func ask<Answer>(_ question: FleetQuestion<Answer>) async throws -> Answer {
            try question.read(try await node.execute(question.statement.sql, question.parameters))
        }
    }

    private static func declarations(_ numbers: some Sequence<Int>, _ text: String = "{}") -> [FleetDeclaration] {
        numbers.map { FleetDeclaration(id: "t\($0)", placement: .single, text: text, interval: .seconds(1)) }
    }

    private func expectMerged(_ changes: OwnTargets.Changes, _ list: inout OwnTargets, _ expected: Bool = true) {
        let isMerged = list.merge(changes)
        #expect(isMerged == expected)
    }

    @Test("The list after changes is that which is read as a whole, and few targets are read for it")
    func changes() async throws {
        let scene = try await Scene()
        try await scene.declare(Self.declarations(0..<3_000))
        var list = try await scene.all()
        #expect(list.count > 1_200 && list.count < 1_800)
        var version = try await scene.version()

        // Changed, added, paused and resumed targets.
        var declared = Self.declarations(0..<3_000)
        for number in 100..<120 { declared[number] = Self.declarations([number], #"{"n":1}"#)[0] }
        try await scene.declare(declared + Self.declarations(5_000..<5_020))
        for sql in [
            "paused = true, version = 2 WHERE id IN ('t1', 't2', 't3', 't4')", "paused = false WHERE id = 't2'",
        ] {
            try await scene.admin.execute("UPDATE targets SET \(sql)")
        }
        var changes = try await scene.changes(since: version)
        #expect(try #require(changes.rows).count < 45)
        expectMerged(changes, &list)
        #expect(list.targets == (try await scene.all()).targets)
        version = try await scene.version()

        // Nothing new.
        changes = try await scene.changes(since: version)
        #expect(changes.rows?.isEmpty == true)
        expectMerged(changes, &list)

        // Resumed: a place in the middle.
        try await scene.admin.execute("UPDATE targets SET paused = false, version = 3 WHERE id IN ('t1', 't3', 't4')")
        expectMerged(try await scene.changes(since: version), &list)
        #expect(list.targets == (try await scene.all()).targets)
    }

    @Test(
        "A target that is gone is noticed: removed, replaced by a new one, removed and added again, and moved to another node's shard",
        arguments: 0..<4
    )
    func removals(number: Int) async throws {
        let scene = try await Scene()
        try await scene.declare(Self.declarations(0..<50))
        var list = try await scene.all()
        let version = try await scene.version()
        let gone = try #require(list.targets.first)
        let rest = Self.declarations(0..<50).filter { $0.id != gone.id }
        switch number {
        case 0: try await scene.declare(rest)
        case 1: try await scene.declare(rest + Self.declarations(100..<200))
        case 2:
            try await scene.declare(rest)
            try await scene.declare(Self.declarations(0..<50))
        default:
            try await scene.admin.execute(
                "UPDATE targets SET shard = shard + 1, version = \(version + 1) WHERE id = '\(gone.id)'"
            )
        }
        expectMerged(try await scene.changes(since: version), &list, false)
    }

    @Test("A node that is behind by too much reads all; targets of another node's shards do not count")
    func tooMany() async throws {
        let scene = try await Scene()
        try await scene.declare(Self.declarations(0..<20))
        var list = try await scene.all()
        let version = try await scene.version()
        let other = try await scene.node.table("SELECT id FROM targets WHERE shard % 2 = 1 ORDER BY id LIMIT 1")[0]
        try await scene.admin.execute("UPDATE targets SET version = 99, spec = '{ }' WHERE id = '\(other)'")
        let changes = try await scene.changes(since: version)
        #expect(changes.rows?.isEmpty == true)
        expectMerged(changes, &list)
        try await scene.declare(Self.declarations(0..<(5 * Int(OwnTargets.Changes.limit))))
        let many = try await scene.changes(since: version)
        #expect(many.rows == nil)
        expectMerged(many, &list, false)
    }

    // MARK: The reader

    private static let row = OwnTargets.Row(
        ordinal: 7,
        target: AssignedTarget(id: "t", shard: Shard(placement: 1, number: 2), declaration: "{}"),
        isPaused: false,
        state: nil,
        heartbeat: nil
    )

    @Test("All targets are read first, for other shards and for another epoch of the log, and else what changed")
    func reader() {
        let executor = ManualExecutor()
        let reader = OwnTargetReader(node: "a", executor: executor)
        var lists = 0
        reader.changed = { _ in lists += 1 }
        var expected: [String] = []
        func expect(_ names: String..., update version: Int64, _ epoch: String = "e", answers: [String?]...) {
            reader.update(to: version, epoch: epoch)
            expected += names
            #expect(executor.names == expected)
            for answer in answers { executor.complete([answer]) }
        }
        let all = "assigned targets", changes = "changed targets"
        let target = ["7", "t", "{}", "1", "2", "f", "f", nil, nil, nil, nil, nil] as [String?]
        let none = [String?](repeating: nil, count: 12)
        expect(all, update: 1, answers: target)
        #expect(lists == 1)
        expect(update: 1)
        expect(changes, update: 2, answers: ["1"] + none)
        #expect(lists == 1)
        expect(changes, update: 3, answers: ["1"] + target)
        #expect(lists == 2)
        // One is gone: all are read at once.
        expect(changes, update: 4, answers: ["0"] + none)
        expected.append(all)
        #expect(executor.names == expected)
        executor.complete([])
        #expect(lists == 3)
        reader.shardsChanged()
        expect(all, update: 4, answers: target)
        expect(all, update: 5, "f", answers: target)
        // A database that lost data.
        expect(all, update: 2, "f", answers: target)
        #expect(lists == 6)
        // The answer of a connection that ended is discarded, and what was read stays.
        expect(changes, update: 6, "f")
        reader.disconnected()
        executor.complete([["0"] + none])
        expect(changes, update: 6, "f", answers: ["1"] + none)
        #expect(lists == 6)
        expect(update: 6, "f")
    }

    @Test("A failure is logged, and the reading is repeated with the next renewal")
    func failure() {
        let executor = ManualExecutor()
        let reader = OwnTargetReader(node: "a", executor: executor)
        var logged: [LogMessage] = []
        reader.log = { logged.append($0) }
        reader.update(to: 1, epoch: "e")
        reader.update(to: 1, epoch: "e")
        #expect(executor.names.count == 1)
        executor.fail(DatabaseError(.statementTimeout, "too late"))
        #expect(logged.count == 1 && logged[0].facts["code"] == "statement_timeout")
        reader.update(to: 1, epoch: "e")
        #expect(executor.names.count == 2)
    }
}
