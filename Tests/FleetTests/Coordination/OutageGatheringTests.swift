// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "What an outage of the database left behind, on PostgreSQL",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct OutageGatheringTests {
    private static let locations = ["berlin", "paris", "tokyo"]

    @Test("An outage of a target that all locations saw begin and end is two events, though each reports both at once")
    func order() async throws {
        try await expectTurns(of: ["a"], settle: .seconds(15))
    }

    @Test("Locations whose reports are in different batches do not disagree, however short the time is that they may")
    func batches() async throws {
        // Several batches have only reports of one location.
        try await expectTurns(of: (0..<4_000).map { "t\($0)" }, settle: .milliseconds(1))
    }

    private func expectTurns(of targets: [String], settle: Duration) async throws {
        let fleet = try await StagedFleet()
        for location in Self.locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 3, quorum: 2, in: Self.locations)
        try await fleet.declare(targets, placement: placement)
        let hosts = try await fleet.hosts(2, settings: FleetSettings(lease: .seconds(3600), settle: settle))
        try await hosts[0].renew()
        let shards = Int64(Set(targets.map { Shard(of: $0, placement: placement) }).count)
        try await fleet.until { try await fleet.number("SELECT count(*) FROM assignments") == 3 * shards }
        let start = Duration(microseconds: try await fleet.number("SELECT \(DatabaseClock.now)"))
        let reports = Reports(fleet, targets: targets, placement: placement)
        try await reports.send(.up, from: Self.locations, at: start, number: 1)
        try await fleet.until { try await fleet.inboxCount() == 0 }
        await hosts[0].resign()

        for (number, location) in Self.locations.enumerated() {
            for (turn, state) in [TargetState.down, .up].enumerated() {
                let moment = start + .milliseconds(1_000 * (turn + 1) + number)
                try await reports.send(state, from: [location], at: moment, number: 10 * (number + 1) + turn)
            }
        }

        // Two hours without a database; berlin has not reported everything.
        try await fleet.client.execute("UPDATE log_head SET until = \((start - .seconds(7_200)).microseconds)")
        try await fleet.client.execute("UPDATE nodes SET backlog = 1 WHERE name = 'berlin-1'")
        try await hosts[1].renew()
        try await fleet.until { await hosts[1].isCoordinator }
        try await fleet.client.execute("UPDATE nodes SET until = until + 3600000000")
        let statements = await hosts[1].statistics.statements
        try await fleet.until { await hosts[1].statistics.statements > statements + 2 }
        #expect(try await fleet.inboxCount() == 6 * Int64(targets.count))
        try await fleet.client.execute("UPDATE nodes SET backlog = 0")
        try await fleet.until { try await fleet.inboxCount() == 0 }
        let turns = try await fleet.client.execute(
            """
            SELECT turns, down, count(*) FROM (
              SELECT string_agg(to_state, ' ' ORDER BY seq) AS turns, max(at) FILTER (WHERE to_state = 'down') AS down
              FROM log WHERE type = 'state' GROUP BY target
            ) t GROUP BY 1, 2
            """
        )
        let counts = try (0..<turns.rowCount).map { row in
            "\(try turns.text(row, 2)): \(try turns.text(row, 0)) \(try turns.integer(row, 1) - start.microseconds)"
        }
        // As seen by the second location.
        #expect(counts == ["\(targets.count): up down up 1001000"])
    }

    @Test("Longer than a lease nobody coordinated; at most 15 s")
    func limits() throws {
        let (lease, now) = (Duration.seconds(5), Duration.seconds(1_000))
        #expect(OutageGathering(vacancy: lease, lease: lease, now: now) == nil)
        var gathering = try #require(OutageGathering(vacancy: .seconds(60), lease: lease, now: now))
        gathering.looked(try Self.look(now + .milliseconds(14_999), until: now), dead: [], lease: lease)
        #expect(gathering.isWaiting)
        gathering.looked(try Self.look(now + .seconds(15), until: now), dead: [], lease: lease)
        #expect(!gathering.isWaiting)
        // Those that are lost, or were before the outage, are not waited for.
        for (until, dead) in [(now, Set(["n"])), (now - .seconds(66), [])] {
            gathering = try #require(OutageGathering(vacancy: .seconds(60), lease: lease, now: now))
            gathering.looked(try Self.look(now, until: until), dead: dead, lease: lease)
            #expect(!gathering.isWaiting)
        }
    }

    private static func look(_ now: Duration, until: Duration) throws -> FleetLook {
        try FleetLook(
            Rows.make([
                [
                    "\(now.microseconds)", "1", "f", "{}", "n", "berlin", "1", "f", "f", "\(until.microseconds)", "0",
                    nil,
                    "{}", "0", "e1", "f",
                ]
            ])
        )
    }
}

/// Reports of several targets at once.
private struct Reports {
    let fleet: StagedFleet
    let targets: [String]
    let placement: Int

    init(_ fleet: StagedFleet, targets: [String], placement: Int) {
        (self.fleet, self.targets, self.placement) = (fleet, targets, placement)
    }

    func send(_ state: TargetState, from locations: [String], at moment: Duration, number: Int) async throws {
        let assignments = try await fleet.assignments()
        let content = VoteContent(
            state: state,
            cause: state == .up ? nil : .target,
            reason: state == .up ? nil : "connect_refused",
            since: moment
        )
        try await fleet.report(
            locations.flatMap { location in
                targets.map { target in
                    let key = AssignmentKey(shard: Shard(of: target, placement: placement), location: location)
                    return InboxRow(
                        id: Int64(number),
                        node: "\(location)-1",
                        key: key,
                        token: assignments[key]?.token ?? 0,
                        at: moment,
                        content: .vote(target: target, content)
                    )
                }
            }
        )
    }
}
