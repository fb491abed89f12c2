// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "A coordinator on PostgreSQL",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct CoordinatorTests {
    private static func vote(
        _ target: String,
        _ state: TargetState,
        token: Int64,
        placement: Int,
        node: String = "berlin-1",
        local: Int64 = 1,
        at: Duration
    ) -> InboxRow {
        InboxRow(
            id: local,
            node: node,
            key: AssignmentKey(shard: Shard(of: target, placement: placement), location: "berlin"),
            token: token,
            at: at,
            content: .vote(
                target: target,
                VoteContent(
                    state: state,
                    cause: state == .up ? nil : .target,
                    reason: state == .up ? nil : "connect_refused",
                    detail: state == .up ? nil : "It refuses connections.",
                    since: at
                )
            )
        )
    }

    @Test("Of eight nodes that claim at once, one becomes the coordinator")
    func claimRace() async throws {
        let fleet = try await StagedFleet()
        let hosts = try await fleet.hosts(8)
        for round in 1...10 {
            var before: [UInt64] = []
            for host in hosts { before.append(await host.statistics.statements) }
            await withTaskGroup(of: Void.self) { group in
                for host in hosts { group.addTask { await host.claim() } }
            }
            for (host, count) in zip(hosts, before) {
                try await fleet.until { await host.statistics.statements > count }
            }
            var coordinators: [CoordinatorHost] = []
            for host in hosts where await host.isCoordinator { coordinators.append(host) }
            #expect(coordinators.count == 1)
            #expect(try await fleet.number("SELECT token FROM log_head") == Int64(round))
            await coordinators.first?.resign()
            await coordinators.first?.reinstate()
        }
    }

    @Test("A node whose own lease has ended cannot become the coordinator")
    func deadNode() async throws {
        let fleet = try await StagedFleet()
        let host = try #require(try await fleet.hosts(1).first)
        try await fleet.client.execute("UPDATE nodes SET until = 0")
        try await host.renew()
        try await fleet.until { await host.statistics.statements == 1 }
        #expect(await host.isCoordinator == false)
        #expect(try await fleet.number("SELECT token FROM log_head") == 0)
    }

    @Test("Assignments are written with increasing tokens, and move when their owner is dead")
    func assignments() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        let names = (0..<200).map { "t\($0)" }
        try await fleet.declare(names, placement: placement)
        let host = try #require(try await fleet.hosts(1, settings: FleetSettings(lease: .seconds(3_600))).first)
        try await host.renew()
        try await fleet.until { try await !fleet.assignments().shards.isEmpty }
        let first = try await fleet.assignments()
        #expect(first.shards.keys.count == Set(names.map { Shard(of: $0, placement: placement) }).count)
        #expect(first.shards.values.allSatisfy { $0["berlin"]?.node == "berlin-1" && $0["berlin"]?.token == 1 })

        try await fleet.addNode("berlin-2", in: "berlin")
        try await fleet.client.execute("UPDATE nodes SET departed = true, until = 0 WHERE name = 'berlin-1'")
        try await fleet.until {
            try await fleet.assignments().shards.values.allSatisfy { $0["berlin"]?.node == "berlin-2" }
        }
        let second = try await fleet.assignments()
        let tokens = Set(second.shards.values.compactMap { $0["berlin"]?.token })
        #expect(tokens.allSatisfy { $0 > 1 })
        #expect(try await fleet.number("SELECT assignment FROM log_head") == tokens.max())

        // A report of the former owner arrives late.
        try await fleet.report([Self.vote("t1", .down, token: 1, placement: placement, at: .seconds(1))])
        try await fleet.until { try await fleet.inboxCount() == 0 }
        try await fleet.until { await host.statistics.rejected == [.staleToken: 1] }
        #expect(try await fleet.number("SELECT count(*) FROM log WHERE target IS NOT NULL") == 0)
        #expect(try await fleet.number("SELECT count(*) FROM votes") == 0)
    }

    @Test("After the database's clock was set back, another node has the role, and the one before writes nothing more")
    func clockSetBack() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("hub", in: "hub", capacity: 0)
        let host = try #require(try await fleet.hosts(1).first)
        let hub: [DatabaseValue] = [.text("hub"), .integer(1)]
        let lease = DatabaseValue.integer(3_600_000_000)
        let claimed = try await fleet.client.execute(CoordinatorStatement.claim, hub + [lease])
        let token = try claimed.integer(0, 1)
        try await host.renew()
        // As if the clock were three hours ahead when it was written. A lease is an hour here.
        try await fleet.client.execute("UPDATE log_head SET until = until + 10800000000")
        try await host.renew()
        try await fleet.until { await host.isCoordinator }
        #expect(try await fleet.number("SELECT token FROM log_head") == token + 1)
        #expect(try await fleet.number("SELECT (until - \(DatabaseClock.now)) / 3600000001 FROM log_head") == 0)
        let guardian = hub + [.integer(token), lease]
        #expect(try await fleet.client.execute(CoordinatorStatement.keep, guardian).rowCount == 0)
        #expect(try await fleet.client.execute(CoordinatorStatement.look, guardian + [.integer(0)]).rowCount == 0)
    }

    @Test("A node whose lease ends farther ahead than any lease can is replaced")
    func leaseInTheFuture() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        try await fleet.declare(["a", "b", "c"], placement: placement)
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await fleet.until { try await !fleet.assignments().shards.isEmpty }
        try await fleet.addNode("berlin-2", in: "berlin")
        try await fleet.client.execute("UPDATE nodes SET until = until + 10800000000 WHERE name = 'berlin-1'")
        try await fleet.until {
            try await fleet.assignments().shards.values.allSatisfy { $0["berlin"]?.node == "berlin-2" }
        }
        try await fleet.until { try await fleet.number("SELECT count(*) FROM nodes WHERE announced = 'lost'") == 1 }
    }

    @Test("Events that another program numbered above the newest one: the log goes on behind them, in a new epoch")
    func foreignEvents() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        try await fleet.declare(["a", "b"], placement: placement)
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await fleet.until { try await !fleet.assignments().shards.isEmpty }
        let token = try await fleet.number("SELECT max(token) FROM assignments")
        try await fleet.report([Self.vote("a", .up, token: token, placement: placement, at: .seconds(1))])
        try await fleet.until { try await fleet.number("SELECT count(*) FROM log WHERE target = 'a'") == 1 }
        let seq = try await fleet.number("SELECT seq FROM log_head")
        let epoch = try await fleet.client.execute("SELECT epoch FROM log_head").text(0, 0)
        for number in [seq + 1, seq + 2, seq + 100, Int64.max] {
            try await fleet.client.execute(
                "INSERT INTO log (day, seq, stamp, at, recorded, type, data) SELECT day, \(number), 77, 1, 1, 'state', '{}' FROM log_head"
            )
        }
        try await fleet.report([Self.vote("b", .down, token: token, placement: placement, local: 2, at: .seconds(2))])
        try await fleet.until {
            if await !host.isCoordinator { try await host.renew() }
            return try await fleet.inboxCount() == 0
        }
        #expect(try await fleet.number("SELECT seq FROM log WHERE target = 'b'") == seq + 101)
        // With the incident that follows.
        try await fleet.until { try await fleet.number("SELECT seq FROM log_head") == seq + 102 }
        #expect(try await fleet.client.execute("SELECT epoch FROM log_head").text(0, 0) != epoch)
        #expect(host.messages.events.contains { $0.facts["reason"]?.contains("above the newest number") == true })
    }

    @Test("Reports become votes, verdicts and events, and rows that cannot be read are skipped and deleted")
    func reports() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        try await fleet.declare(["a", "b"], placement: placement)
        try await fleet.client.execute(
            "UPDATE targets SET tags = '{\"x, \\\"y\\\"\",z}', \"group\" = 'web' WHERE id = 'a'"
        )
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await fleet.until { try await fleet.assignments().shards.count == 2 }
        try await fleet.report(
            [TargetState.up, .down, .up].enumerated().map { index, state in
                Self.vote("a", state, token: 1, placement: placement, local: Int64(index), at: .seconds(1 + index))
            } + [InboxRow(id: 9, node: "", key: FleetScene.key("x"), token: 0, at: .zero, content: .unreadable)]
        )
        try await fleet.client.execute(
            """
            INSERT INTO inbox (node, local, kind, placement, shard, location, token, target, state, cause, since, at)
            VALUES ('berlin-1', 4, 'vote', 1, 2, 'berlin', 1, 'a', 'sideways', NULL, 0, 0),
              ('berlin-1', 5, 'vote', 1, 2, 'berlin', 1, 'a', 'down', 'the moon', 0, 0),
              ('berlin-1', 6, 'vote', 1, 2, 'berlin', 1, NULL, 'down', NULL, 0, 0),
              ('berlin-1', 7, 'vote', 1, 2, 'berlin', 1, 'a', 'down', NULL, NULL, 0),
              -- Longer than a result may be.
              ('berlin-1', 8, repeat('x', 70000000), 1, 2, 'berlin', 1, 'a', 'down', NULL, 0, 0)
            """
        )
        try await fleet.until { try await fleet.inboxCount() == 0 }
        // Counted when the answer arrives.
        try await fleet.until { await host.statistics.rejected == [.unreadable: 6] }
        #expect(host.messages.events.filter { $0.text.contains("make no sense") }.count == 1)
        // The begin and the end of an incident follow.
        try await fleet.until { await host.statistics.events == 5 }
        let log = try await fleet.client.execute(
            """
            SELECT seq, from_state, to_state, "group", tags, at, type, data::json ->> 'to' FROM log ORDER BY seq
            """
        )
        #expect(try (0..<3).map { try log.integer($0, 0) } == [1, 2, 3])
        #expect(try (0..<3).map { try log.text($0, 2) } == ["up", "down", "up"])
        #expect(try (0..<3).map { try log.text($0, 7) } == ["up", "down", "up"])
        #expect(try log.text(0, 3) == "web")
        #expect(try log.texts(0, 4) == ["x, \"y\"", "z"])
        #expect(try log.text(0, 6) == "state")
        #expect(try (3..<5).map { try log.text($0, 6) } == ["incident", "incident"])
        #expect(try await fleet.number("SELECT seq FROM log_head") == 5)
        // One more version for the first decision, which gives every target its reason, unless the first report was earlier.
        #expect([1, 2].contains(try await fleet.number("SELECT n FROM verdicts WHERE target = 'a'")))
    }

    @Test("A parent's outage reaches all its children, however many pages they fill, and ends for all")
    func children() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        let children = (0..<5_000).map { "child-\($0)" }
        try await fleet.declare(["gateway"] + children, placement: placement)
        try await fleet.client.execute(
            "INSERT INTO dependencies (parent, child) SELECT 'gateway', unnest($1::text[])",
            [.texts(children)]
        )
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await fleet.until { try await fleet.number("SELECT count(*) FROM assignments") > 900 }
        let up = (["gateway"] + children).map {
            Self.vote($0, .up, token: 1, placement: placement, at: .seconds(1))
        }
        try await fleet.report(up)
        let unreachable = "SELECT count(*) FROM verdicts WHERE state = 'unreachable' AND reason = 'parent_down'"
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE state = 'up'") == 5_001 }
        try await fleet.report([Self.vote("gateway", .down, token: 1, placement: placement, at: .seconds(2))])
        try await fleet.until { try await fleet.number(unreachable) == 5_000 }
        try await fleet.report([Self.vote("gateway", .up, token: 1, placement: placement, at: .seconds(3))])
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE state = 'up'") == 5_001 }
        // Each target: up, down or unreachable, up.
        #expect(try await fleet.number("SELECT count(*) FROM log WHERE type = 'state'") == 5_001 * 3)
        // The children are in the incident of their parent.
        try await fleet.until { try await fleet.number("SELECT count(*) FROM incidents WHERE closed IS NULL") == 0 }
        #expect(try await fleet.number("SELECT total FROM incidents") == 5_001)
    }

    @Test("A disagreement that is due becomes an event without a report")
    func disagreement() async throws {
        let fleet = try await StagedFleet()
        let locations = ["berlin", "paris", "tokyo"]
        for location in locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 3, quorum: 2, in: locations)
        try await fleet.declare(["a"], placement: placement)
        let settings = FleetSettings(lease: .seconds(3600), settle: .milliseconds(300))
        let host = try #require(try await fleet.hosts(1, settings: settings).first)
        try await host.renew()
        try await fleet.until { try await fleet.number("SELECT count(*) FROM assignments") == 3 }
        let key = { AssignmentKey(shard: Shard(of: "a", placement: placement), location: $0) }
        let rows = zip(locations, [TargetState.up, .up, .down]).map { location, state in
            InboxRow(
                id: 1,
                node: "\(location)-1",
                key: key(location),
                token: 1,
                at: .seconds(1),
                content: .vote(target: "a", VoteContent(state: state, since: .seconds(1)))
            )
        }
        try await fleet.report(rows)
        try await fleet.until {
            try await fleet.number("SELECT count(*) FROM verdicts WHERE rule = 'partly_down' AND state = 'degraded'")
                == 1
        }
        let log = try await fleet.client.execute("SELECT to_state FROM log WHERE type = 'state' ORDER BY seq")
        #expect(try (0..<log.rowCount).map { try log.text($0, 0) } == ["up", "degraded"])
        #expect(try await fleet.number("SELECT due FROM disagreements") == .max)
    }

    @Test("A new coordinator decides again what the last one left undecided")
    func sweep() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        try await fleet.declare(["a"], placement: placement)
        let hosts = try await fleet.hosts(2)
        try await hosts[0].renew()
        try await fleet.until { try await fleet.assignments().shards.count == 1 }
        await hosts[0].resign()
        // The vote was stored, and the verdict was not replaced.
        try await fleet.client.execute(
            "INSERT INTO votes (target, location, state, since, token, node) VALUES ('a', 'berlin', 'up', 1, 1, 'berlin-1')"
        )
        try await hosts[1].renew()
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE state = 'up'") == 1 }
        #expect(try await fleet.number("SELECT seq FROM log_head") == 1)
    }

    @Test("A statement that a verdict's change overtook is decided again")
    func conflict() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        try await fleet.declare(["a"], placement: placement)
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE n > 0") == 1 }
        // Nothing but the conflict must be a reason to decide again.
        let key = AssignmentKey(shard: Shard(of: "a", placement: placement), location: "berlin")
        let confirmation = InboxRow(
            id: 1,
            node: "berlin-1",
            key: key,
            token: 1,
            at: .seconds(1),
            content: .confirmation
        )
        try await fleet.report([confirmation])
        try await fleet.until { try await fleet.number("SELECT count(*) FROM assignments WHERE confirmed = 1") == 1 }
        await host.plan(.hold, after: 0)
        try await fleet.report([Self.vote("a", .up, token: 1, placement: placement, at: .seconds(1))])
        try await host.faults.next()
        try await fleet.client.execute("UPDATE verdicts SET n = n + 1")
        try await host.recover(from: .hold)
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE state = 'up'") == 1 }
        #expect(await host.statistics.conflicts == 1)
        #expect(try await fleet.number("SELECT seq FROM log_head") == 1)
        #expect(try await fleet.number("SELECT count(*) FROM log") == 1)
    }

    @Test("A row that becomes visible after rows with greater ids is processed")
    func lateRow() async throws {
        let fleet = try await StagedFleet()
        try await fleet.addNode("berlin-1", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        try await fleet.declare(["a", "b"], placement: placement)
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await fleet.until { try await fleet.assignments().shards.count == 2 }
        try await fleet.client.execute("ALTER TABLE inbox ALTER COLUMN id RESTART WITH 1000")
        try await fleet.report([Self.vote("a", .up, token: 1, placement: placement, at: .seconds(1))])
        try await fleet.until { try await fleet.inboxCount() == 0 }
        try await fleet.client.execute("ALTER TABLE inbox ALTER COLUMN id RESTART WITH 500")
        try await fleet.report([Self.vote("b", .up, token: 1, placement: placement, at: .seconds(1))])
        try await fleet.until { try await fleet.inboxCount() == 0 }
        #expect(try await fleet.number("SELECT count(*) FROM verdicts WHERE state = 'up'") == 2)
    }

    @Test("A resigned coordinator's lease has ended, and another node claims at once")
    func resignation() async throws {
        let fleet = try await StagedFleet()
        let hosts = try await fleet.hosts(2)
        try await hosts[0].renew()
        try await hosts[0].changes.next { $0 }
        await hosts[0].resign()
        #expect(await hosts[0].isCoordinator == false)
        try await hosts[1].renew()
        try await hosts[1].changes.next { $0 }
        #expect(try await fleet.number("SELECT token FROM log_head") == 2)
    }

    @Test("A connection that is lost ends the term, and the next renewal on a new one resumes it with another token")
    func resumption() async throws {
        let fleet = try await StagedFleet()
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await host.changes.next { $0 }
        let mark = host.changes.count
        try await fleet.client.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()"
        )
        try await host.changes.next(after: mark) { !$0 }
        try await host.connect()
        try await host.renew()
        try await host.changes.next(after: mark) { $0 }
        #expect(try await fleet.number("SELECT token FROM log_head") == 2)
        #expect(await host.statistics.terms == 2)
    }

    @Test("More changes of assignments than a statement writes are written with several tokens")
    func manyAssignments() async throws {
        let fleet = try await StagedFleet()
        let locations = (0..<6).map { "site-\($0)" }
        for location in locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 6, quorum: 2, in: locations)
        try await fleet.declare((0..<4_000).map { "t\($0)" }, placement: placement)
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        let shards = Int64(Set((0..<4_000).map { Shard(of: "t\($0)", placement: placement) }).count)
        try await fleet.until { try await fleet.number("SELECT count(*) FROM assignments") == shards * 6 }
        #expect(try await fleet.number("SELECT count(DISTINCT token) FROM assignments") == 2)
        #expect(try await fleet.number("SELECT max(token) - (SELECT assignment FROM log_head) FROM assignments") == 0)
    }

    @Test("A late statement of a node's earlier term changes nothing, though the same node is the coordinator again")
    func earlierTerm() async throws {
        let fleet = try await StagedFleet()
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try await host.changes.next { $0 }
        await host.resign()
        await host.reinstate()
        try await host.renew()
        try await fleet.until { try await fleet.number("SELECT token FROM log_head") == 2 }
        var changes = RoundChanges()
        changes.inboxIDs = [1]
        let lease = Duration.seconds(5)
        for (token, count) in [(Int64(1), 0), (2, 1)] {
            let write = WriteStatement(
                identity: host.identity,
                token: token,
                lease: lease,
                stamp: 1,
                changes: changes
            )
            #expect(try await fleet.client.execute(WriteStatement.statement, write.parameters).rowCount == count)
            let assign = AssignStatement(
                identity: host.identity,
                token: token,
                lease: lease,
                version: token,
                changes: []
            )
            #expect(try await fleet.client.execute(AssignStatement.statement, assign.parameters).rowCount == count)
        }
    }

    @Test("A node that gets a shard after a time without an owner has it since that time began: so old are the votes")
    func interruptedAssignment() async throws {
        let fleet = try await StagedFleet()
        try await fleet.client.execute("UPDATE log_head SET coordinator = 'n', incarnation = 1, token = 1")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: [])
        let key = AssignmentKey(shard: Shard(placement: placement, number: 1), location: "berlin")
        func since(_ node: String?, _ version: Int64) async throws -> Duration {
            let statement = AssignStatement(
                identity: NodeIdentity(name: "n", incarnation: 1),
                token: 1,
                lease: .seconds(5),
                version: version,
                changes: [
                    AssignmentChange(
                        key: key,
                        assignment: node.map { Assignment(node: $0, token: UInt64(version)) }
                    )
                ]
            )
            try await fleet.client.execute(AssignStatement.statement, statement.parameters)
            return try #require(try await fleet.assignments()[key]?.since)
        }
        let first = try await since("a", 1)
        let second = try await since("b", 2)
        let lost = try await since(nil, 3)
        #expect(first < second && second < lost)
        #expect(try await since("b", 4) == lost)
        #expect(try await since("a", 5) > lost)
    }
}
