// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

/// Votes are reported while coordinators are killed, stopped and replaced at random. In the end the log must be what a single
/// coordinator would have written that decides on one row after the other.
@Suite(
    "Coordinators that fail",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct CoordinatorFailureTests {
    private static let rounds = 50
    private static let locations = ["berlin", "paris", "tokyo"]
    private static let settings = FleetSettings(lease: .seconds(3600), settle: .seconds(3600))

    /// A vote of a location on a target, in the order of the reports.
    private static func row(_ names: [String], placement: Int, _ generator: inout SeededGenerator, local: Int64)
        -> InboxRow
    {
        let location = locations[Int.random(in: 0..<3, using: &generator)]
        let target = names[Int.random(in: 0..<names.count, using: &generator)]
        let state: TargetState = [.up, .up, .up, .down, .down, .degraded][Int.random(in: 0..<6, using: &generator)]
        let reason = ["connect_refused", "connection_reset"][Int.random(in: 0..<2, using: &generator)]
        return InboxRow(
            id: local,
            node: "\(location)-1",
            key: AssignmentKey(shard: Shard(of: target, placement: placement), location: location),
            token: 1,
            at: .microseconds(local),
            content: .vote(
                target: target,
                VoteContent(
                    state: state,
                    cause: state == .up ? nil : .target,
                    reason: state == .up ? nil : reason,
                    detail: state == .up ? nil : "\(location): \(reason)",
                    since: .microseconds(local)
                )
            )
        )
    }

    /// The events of each target when one coordinator decides on one row after the other.
    private static func replay(_ rows: [InboxRow], names: [String], placement: Int) throws -> [String: [String]] {
        var scene = try FleetScene(locations: locations, quorum: 2)
        scene.settings = settings
        scene.placements = [placement: try Placement(watchers: 3, quorum: 2, locations: locations)]
        for name in names {
            let shard = Shard(of: name, placement: placement)
            for location in locations {
                let record = AssignmentRecord(node: "\(location)-1", token: 1, since: scene.now, confirmed: 1)
                scene.assignments[AssignmentKey(shard: shard, location: location)] = record
            }
            scene.targets[name] = TargetStanding(
                id: name,
                shard: shard,
                verdict: StoredVerdict(version: 0, state: .unknown, cause: .`self`, since: .zero, rule: "no_location")
            )
            scene.decide(reevaluating: [name])
        }
        var events: [String: [String]] = [:]
        for row in rows {
            for event in scene.decide([row]).events { events[event.target, default: []].append(event.change) }
        }
        return events
    }

    private static func events(in fleet: StagedFleet) async throws -> [String: [String]] {
        let rows = try await fleet.client.execute(
            "SELECT target, from_state, to_state, cause, reason FROM log WHERE type = 'state' ORDER BY day, seq"
        )
        var events: [String: [String]] = [:]
        for row in 0..<rows.rowCount {
            let target = try rows.text(row, 0)
            let (cause, reason) = (try rows.optionalText(row, 3) ?? "-", try rows.optionalText(row, 4) ?? "-")
            events[target, default: []].append(
                "\(target) \(try rows.text(row, 1)) > \(try rows.text(row, 2)) \(cause) \(reason)"
            )
        }
        return events
    }

    private static func coordinator(_ hosts: [CoordinatorHost], _ fleet: StagedFleet) async throws -> CoordinatorHost {
        var found: CoordinatorHost?
        try await fleet.until {
            for host in hosts {
                try await host.renew()
                if await host.isCoordinator { found = host }
            }
            return found != nil
        }
        return try #require(found)
    }

    @Test("Reports become events without gap, duplicate or loss, whatever happens to the coordinators")
    func randomFailures() async throws {
        var generator = SeededGenerator(seed: 20_261_124)
        let fleet = try await StagedFleet()
        for location in Self.locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 3, quorum: 2, in: Self.locations)
        // Fewer than isolate a location.
        let names = (1..<IsolationTally.fewestTargets).map { "t\($0)" }
        try await fleet.declare(names, placement: placement)
        let hosts = try await fleet.hosts(3, settings: Self.settings)
        let shards = Set(names.map { Shard(of: $0, placement: placement) })
        _ = try await Self.coordinator(hosts, fleet)
        try await fleet.until { try await fleet.number("SELECT count(*) FROM assignments") == Int64(shards.count * 3) }
        var reported: [InboxRow] = []
        var faults: [DisturbedExecutor.Fault: Int] = [:]

        for round in 0..<Self.rounds {
            let victim = try await Self.coordinator(hosts, fleet)
            let others = hosts.filter { $0 !== victim }
            let fault = DisturbedExecutor.Fault.allCases[Int.random(in: 0..<5, using: &generator)]
            let mark = victim.faults.count
            await victim.plan(fault, after: Int.random(in: 0...1, using: &generator))
            // Until the fault has happened: how the rows fall into batches is the coordinator's affair.
            while victim.faults.count == mark {
                let count = Int.random(in: 1...60, using: &generator)
                let rows = (0..<count).map { index in
                    Self.row(names, placement: placement, &generator, local: Int64(reported.count + index + 1))
                }
                try await fleet.report(rows)
                reported += rows
                try await fleet.until {
                    if victim.faults.count > mark { return true }
                    return try await fleet.inboxCount() == 0
                }
            }
            faults[fault, default: 0] += 1
            switch fault {
            case .closeBefore, .closeAfter:
                // Its lease may still be valid: then it returns, else another one claims.
                if generator.once(in: 2) { try await fleet.vacate() }
                try await victim.recover(from: fault)
            case .timeOut: break
            case .stopServer:
                // Its statement may hold the lock of the head; then a claim waits until it continues.
                let isReplaced = generator.once(in: 2)
                async let claim: Void = {
                    guard isReplaced else { return }
                    try await others[0].execute("UPDATE log_head SET until = 0")
                    await others[0].claim()
                }()
                for _ in 0..<20 { _ = try await fleet.inboxCount() }
                try await victim.recover(from: fault)
                try await claim
            case .hold:
                try await fleet.vacate()
                _ = try await Self.coordinator(others, fleet)
                try await fleet.until { try await fleet.inboxCount() == 0 }
                // The new coordinator may still be writing what became of incidents.
                let written = """
                    SELECT (SELECT count(*) FROM log WHERE type <> 'incident') + token * 1000000 FROM log_head
                    """
                let before = try await fleet.number(written)
                let mark = victim.changes.count
                try await victim.recover(from: fault)
                // The statement of a coordinator that was replaced changes nothing, and tells it so.
                try await victim.changes.next(after: mark) { !$0 }
                #expect(try await fleet.number(written) == before)
            }
            _ = try await Self.coordinator(hosts, fleet)
            try await fleet.until {
                for host in hosts { try await host.renew() }
                return try await fleet.inboxCount() == 0
            }
            guard try await fleet.number("SELECT count(*) - coalesce(max(seq), 0) FROM log") == 0 else {
                Issue.record("round \(round), \(fault): the log has a gap")
                return
            }
        }

        #expect(faults.count == 5)
        #expect(try await fleet.number("SELECT (SELECT seq FROM log_head) - (SELECT count(*) FROM log)") == 0)
        #expect(try await fleet.number("SELECT count(DISTINCT seq) - count(*) FROM log") == 0)
        let expected = try Self.replay(reported, names: names, placement: placement)
        let found = try await Self.events(in: fleet)
        for name in names where found[name] != expected[name] {
            Issue.record("\(name): \(found[name] ?? []) but \(expected[name] ?? [])")
        }
    }

    @Test("Two coordinators never both write: the replaced one's statement changes nothing")
    func replaced() async throws {
        let fleet = try await StagedFleet()
        for location in Self.locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 3, quorum: 2, in: Self.locations)
        try await fleet.declare(["a"], placement: placement)
        let hosts = try await fleet.hosts(2, settings: Self.settings)
        try await hosts[0].renew()
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE n > 0") == 1 }
        await hosts[0].plan(.hold, after: 0)
        let key = { AssignmentKey(shard: Shard(of: "a", placement: placement), location: $0) }
        let rows = Self.locations.map { location in
            InboxRow(
                id: 1,
                node: "\(location)-1",
                key: key(location),
                token: 1,
                at: .seconds(1),
                content: .vote(target: "a", VoteContent(state: .up, since: .seconds(1)))
            )
        }
        try await fleet.report(rows)
        try await hosts[0].faults.next()
        try await fleet.vacate()
        try await fleet.until {
            try await hosts[1].renew()
            return await hosts[1].isCoordinator
        }
        try await fleet.until { try await fleet.inboxCount() == 0 }
        #expect(await hosts[0].isCoordinator)
        try await hosts[0].recover(from: .hold)
        try await hosts[0].changes.next { !$0 }
        #expect(await hosts[0].statistics.events == 0)
        #expect(try await fleet.number("SELECT count(*) FROM log WHERE type = 'state'") == 1)
        #expect(try await fleet.number("SELECT token FROM log_head") == 2)
    }

    @Test("After a late answer the next batch is smaller, and later ones grow again")
    func smallerBatches() async throws {
        let fleet = try await StagedFleet()
        for location in Self.locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 3, quorum: 2, in: Self.locations)
        try await fleet.declare(["a"], placement: placement)
        let host = try #require(try await fleet.hosts(1, settings: Self.settings).first)
        try await host.renew()
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE n > 0") == 1 }
        #expect(await host.lastInboxLimit > 1_024)
        await host.plan(.timeOut, after: 0)
        var generator = SeededGenerator(seed: 1)
        try await fleet.report([Self.row(["a"], placement: placement, &generator, local: 1)])
        try await host.changes.next { !$0 }
        try await host.renew()
        try await fleet.until { await (1...1_024).contains(host.lastInboxLimit) }
        for local in Int64(2)...6 {
            try await fleet.report([Self.row(["a"], placement: placement, &generator, local: local)])
            try await fleet.until { try await fleet.inboxCount() == 0 }
        }
        #expect(await host.lastInboxLimit > 1_024)
    }

    @Test("While the log has no partition nothing is lost, and afterwards the reports become events")
    func missingPartition() async throws {
        let fleet = try await StagedFleet()
        for location in Self.locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 3, quorum: 2, in: Self.locations)
        try await fleet.declare(["a"], placement: placement)
        let host = try #require(try await fleet.hosts(1, settings: Self.settings).first)
        try await host.renew()
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE n > 0") == 1 }
        try await fleet.client.execute("ALTER TABLE log DETACH PARTITION log_now")
        var generator = SeededGenerator(seed: 1)
        let rows = (1...20).map { Self.row(["a"], placement: placement, &generator, local: Int64($0)) }
        try await fleet.report(rows)
        try await fleet.until {
            try await host.renew()
            return await host.statistics.failures == 3
        }
        #expect(try await fleet.inboxCount() == 20)
        try await fleet.client.execute(
            "ALTER TABLE log ATTACH PARTITION log_now FOR VALUES FROM ('2000-01-01') TO ('2200-01-01')"
        )
        try await fleet.until {
            try await host.renew()
            return try await fleet.inboxCount() == 0
        }
        let expected = try Self.replay(rows, names: ["a"], placement: placement)
        #expect(try await Self.events(in: fleet) == expected)
    }
}
