// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "What an outage of the database left behind, on PostgreSQL",
    .timeLimit(.minutes(2)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct OutageGatheringTests {
    private static let locations = ["berlin", "paris", "tokyo"]

    @Test("An outage of a target that all locations saw begin and end is two events, though each reports both at once")
    func order() async throws {
        let fleet = try await StagedFleet()
        for location in Self.locations { try await fleet.addNode("\(location)-1", in: location) }
        let placement = try await fleet.place(watchers: 3, quorum: 2, in: Self.locations)
        try await fleet.declare(["a"], placement: placement)
        let hosts = try await fleet.hosts(2)
        try await hosts[0].renew()
        try await fleet.until { try await fleet.number("SELECT count(*) FROM assignments") == 3 }
        let start = Duration(microseconds: try await fleet.number("SELECT \(DatabaseClock.now)"))
        try await report(.up, at: start, fleet, placement: placement, number: 1)
        try await fleet.until { try await fleet.number("SELECT count(*) FROM verdicts WHERE state = 'up'") == 1 }
        await hosts[0].resign()

        // Two hours without a database; berlin has not reported everything.
        try await fleet.client.execute("UPDATE log_head SET until = \((start - .seconds(7_200)).microseconds)")
        try await fleet.client.execute("UPDATE nodes SET backlog = 1 WHERE name = 'berlin-1'")
        try await hosts[1].renew()
        try await fleet.until { await hosts[1].isCoordinator }
        try await fleet.client.execute("UPDATE nodes SET until = until + 3600000000")
        for (number, location) in Self.locations.enumerated() {
            for (turn, state) in [TargetState.down, .up].enumerated() {
                let moment = start + .milliseconds(1_000 * (turn + 1) + number)
                let number = 10 * (number + 1) + turn
                try await report(state, from: [location], at: moment, fleet, placement: placement, number: number)
            }
        }
        let statements = await hosts[1].statistics.statements
        try await fleet.until { await hosts[1].statistics.statements > statements + 2 }
        #expect(try await fleet.inboxCount() == 6)
        try await fleet.client.execute("UPDATE nodes SET backlog = 0")
        try await fleet.until { try await fleet.inboxCount() == 0 }
        let log = try await fleet.client.execute(
            "SELECT from_state || ' ' || to_state, at FROM log WHERE type = 'state' ORDER BY seq"
        )
        let changes = try (0..<log.rowCount).map { try log.text($0, 0) }
        #expect(changes == ["unknown up", "up down", "down up"])
        #expect(try log.integer(1, 1) == (start + .milliseconds(1_001)).microseconds)
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
                    "{}", "0", "e1",
                ]
            ])
        )
    }

    private func report(
        _ state: TargetState,
        from locations: [String] = Self.locations,
        at moment: Duration,
        _ fleet: StagedFleet,
        placement: Int,
        number: Int
    ) async throws {
        let assignments = try await fleet.assignments()
        let content = VoteContent(
            state: state,
            cause: state == .up ? nil : .target,
            reason: state == .up ? nil : "connect_refused",
            since: moment
        )
        try await fleet.report(
            locations.map { location in
                let key = AssignmentKey(shard: Shard(of: "a", placement: placement), location: location)
                return InboxRow(
                    id: Int64(number),
                    node: "\(location)-1",
                    key: key,
                    token: assignments[key]?.token ?? 0,
                    at: moment,
                    content: .vote(target: "a", content)
                )
            }
        )
    }
}
