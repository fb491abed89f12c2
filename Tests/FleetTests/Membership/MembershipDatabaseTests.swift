// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "A node in PostgreSQL",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct MembershipDatabaseTests {
    /// Half of it is longer than a test takes under any load.
    private static let lease: Int64 = 3_600_000_000

    private static func register(_ client: FleetClient, epoch: String) async throws -> [Int64] {
        let rows = try await client.execute(
            MembershipStatements.register,
            [
                .text("n"), .text("berlin"), .text("https://n:7532"), .text("1.0"), .integer(10), .text(epoch),
                .integer(lease),
            ]
        )
        return [try rows.integer(0, 0), try rows.integer(0, 1)]
    }

    private static func renew(
        _ client: FleetClient,
        _ incarnation: Int64,
        departing: Bool = false
    ) async throws -> LeaseAnswer? {
        let rows = try await client.execute(
            MembershipStatements.renew,
            [
                .text("n"), .integer(incarnation), .integer(lease), .integer(7), .null, .integer(-3),
                .integer(2_000),
                .text("via eth0"), .bool(departing),
            ]
        )
        return try LeaseAnswer(rows)
    }

    @Test("Registrations count runs, and keep the position of reports only within a local epoch")
    func registration() async throws {
        let database = try FleetDatabase()
        let client = try await FleetClient(database.settings())
        #expect(try await Self.register(client, epoch: "e1") == [1, 0])
        try database.query("UPDATE nodes SET reported = 77")
        #expect(try await Self.register(client, epoch: "e1") == [2, 77])
        #expect(try await Self.register(client, epoch: "e2") == [3, 0])
        #expect(
            try database.query("SELECT location, url, capacity, departed, until - since FROM nodes")
                == ["berlin|https://n:7532|10|f|\(Self.lease)"]
        )
    }

    @Test("A renewal extends the lease of its run only, and a late one begins the time without interruption anew")
    func renewal() async throws {
        let database = try FleetDatabase()
        let client = try await FleetClient(database.settings())
        _ = try await Self.register(client, epoch: "e1")
        let first = try database.query("SELECT resumed FROM nodes")
        let answer = try #require(try await Self.renew(client, 1))
        #expect(answer.identity == "fleet-of-tests")
        #expect(answer.epoch == "00000000000000a1")
        #expect(answer.coordinator == nil)
        #expect(answer.isVacant)
        #expect(!answer.isDraining)
        #expect(
            try database.query(
                "SELECT until - \(answer.now.microseconds), backlog, oldest, skew, round_trip, network FROM nodes"
            )
                == ["\(Self.lease)|7||-3|2000|via eth0"]
        )
        #expect(try database.query("SELECT resumed FROM nodes") == first)
        #expect(try await Self.renew(client, 2) == nil)
        // More than half a lease after the last renewal, although the lease has not ended.
        try database.query("UPDATE nodes SET until = until - \(Self.lease * 3 / 5)")
        let delayed = try #require(try await Self.renew(client, 1))
        #expect(try database.query("SELECT resumed = \(delayed.now.microseconds) FROM nodes") == ["t"])
        try database.query(
            "UPDATE nodes SET until = 1, draining = true; UPDATE log_head SET assignment = 4, declared = 5, seq = 6"
        )
        let late = try #require(try await Self.renew(client, 1))
        #expect(late.isDraining)
        #expect([late.assignment, late.declared, late.sequence] == [4, 5, 6])
        #expect(try database.query("SELECT resumed = \(late.now.microseconds) FROM nodes") == ["t"])
        let last = try #require(try await Self.renew(client, 1, departing: true))
        #expect(try database.query("SELECT departed, until = \(last.now.microseconds) FROM nodes") == ["t|t"])
    }

    @Test(
        "The time without interruption begins anew when the database's clock was set back, also when it began long before",
        arguments: [
            "until = until + 10800000000, resumed = resumed + 10800000000", "until = until + 10800000000, resumed = 1",
        ]
    )
    func clockSetBack(ahead: String) async throws {
        let database = try FleetDatabase()
        let client = try await FleetClient(database.settings())
        _ = try await Self.register(client, epoch: "e1")
        try database.query("UPDATE nodes SET \(ahead)")
        let answer = try #require(try await Self.renew(client, 1))
        #expect(
            try database.query("SELECT resumed - \(answer.now.microseconds), until - resumed FROM nodes") == [
                "0|\(Self.lease)"
            ]
        )
        try database.query("UPDATE nodes SET \(ahead)")
        _ = try await Self.register(client, epoch: "e1")
        #expect(try database.query("SELECT resumed = since FROM nodes") == ["t"])
    }

    @Test("The coordinator's role is vacant when its lease ends farther ahead than any lease can")
    func vacancy() async throws {
        let database = try FleetDatabase()
        let client = try await FleetClient(database.settings())
        _ = try await Self.register(client, epoch: "e1")
        for (until, isVacant) in [(60, false), (-1, true), (3_600, false), (7_260, true)] {
            try database.query(
                "UPDATE log_head SET until = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + \(until) * 1000000::bigint"
            )
            let answer = try #require(try await Self.renew(client, 1))
            #expect(answer.isVacant == isVacant, "\(until)")
        }
    }

    @Test("Of two processes with one name the older one stops and the newer one continues")
    func twoProcesses() async throws {
        let database = try FleetDatabase()
        let settings = try database.settings(statementTimeout: .seconds(20))
        let older = try SessionHost(name: "twin", lease: .seconds(1), settings: settings)
        older.start()
        try await older.answers.next()
        let newer = try SessionHost(name: "twin", lease: .seconds(1), settings: settings)
        newer.start()
        let end = try await older.standings.next { $0.phase == .replaced }
        #expect(end.identity?.incarnation == 1)
        #expect(end.replacedBy == 2)
        older.log { $0.vote("late", .down) }
        let count = newer.answers.count
        try await newer.answers.next(after: count + 4)
        #expect(newer.read { $0.session.standing.phase } == .member)
        #expect(try database.query("SELECT incarnation FROM nodes") == ["2"])
        #expect(older.connections.events == [true, false])
    }

    @Test("A frozen server: every call ends by its deadline, the lease ends by itself, and the node returns alone")
    func frozenServer() async throws {
        let database = try FleetDatabase()
        try database.assign(0...0, to: "node-1", token: 1)
        let host = try SessionHost(
            lease: .seconds(1),
            settings: database.settings(statementTimeout: .milliseconds(500))
        )
        host.start()
        try await host.assignments.next()
        database.server.freeze()
        for number in 0..<100 { host.log { $0.vote("t\(number)", .down) } }
        try await host.standings.next { $0.outage?.fault.code == "timeout" }
        // Connecting takes its whole deadline of two seconds: the server's kernel accepts, and no process answers.
        try await host.standings.next { $0.outage?.fault.code == "connect_timeout" }
        #expect(host.read { $0.session.isLeaseValid } == false)
        #expect(host.read { $0.session.standing.backlog } == 100)
        database.server.thaw()
        let mark = host.standings.count
        try await host.standings.next(after: max(0, mark - 1)) { $0.outage == nil }
        try await host.answers.next { $0.reported.sequence == 100 }
        let inbox = try database.inbox()
        #expect(inbox.count == 100)
        #expect(Set(inbox).count == 100)
        #expect(try database.query("SELECT incarnation FROM nodes") == ["1"])
    }

    @Test("A node that stops in an orderly way ends its lease in the database")
    func departure() async throws {
        let database = try FleetDatabase()
        let host = try SessionHost(settings: database.settings(statementTimeout: .seconds(20)))
        host.start()
        try await host.answers.next()
        #expect(await host.close(departing: true))
        let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
        #expect(try database.query("SELECT departed, until <= \(now) FROM nodes") == ["t|t"])
    }

    @Test("Ten thousand renewals cost no memory and no descriptors")
    func manyRenewals() async {
        // In a process of its own, because it measures the heap.
        await #expect(processExitsWith: .success) { try RenewalTrial.run() }
    }
}

private enum RenewalTrial {
    static func run() throws {
        let database = try FleetDatabase()
        let clock = ManualClock(at: SystemBootClock().now())
        let host = try SessionHost(clock: clock, settings: database.settings())
        let count = Atomic<Int>(0)
        host.run { parts in
            parts.session.renewed = { _ in count.add(1, ordering: .sequentiallyConsistent) }
            parts.session.start()
        }
        /// Moves the time by one renewal after the other.
        func renew(to target: Int) {
            while count.load(ordering: .sequentiallyConsistent) < target {
                let before = count.load(ordering: .sequentiallyConsistent)
                clock.advance(by: 1_000_000_000)
                while count.load(ordering: .sequentiallyConsistent) == before { host.run { _ in } }
            }
        }
        renew(to: 2_000)
        let descriptors = ProcessStatistics.read()?.openDescriptors
        let growths = (1...4).map { window in
            let before = Heap.bytesInUse
            renew(to: 2_000 + window * 2_000)
            return Heap.bytesInUse - before
        }
        #expect(growths.allSatisfy { $0 < 16_384 }, "\(growths)")
        #expect(growths.min().map { $0 < 1_024 } == true, "\(growths)")
        #expect(ProcessStatistics.read()?.openDescriptors == descriptors)
        #expect(host.read { $0.session.standing.identity?.incarnation } == 1)
        #expect(host.read { $0.session.standing.outage } == .some(nil))
    }
}
