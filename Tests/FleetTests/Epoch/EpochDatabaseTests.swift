// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "The epoch of the fleet's log in PostgreSQL",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct EpochDatabaseTests {
    private static let first = "00000000000000a1"

    /// Writes events as the coordinator does, each with a stamp of its own.
    private static func log(_ count: Int, on server: PostgreSQLServer) throws {
        for _ in 0..<count {
            try server.execute(
                """
                SET ROLE reachd;
                WITH h AS (UPDATE log_head SET seq = seq + 1, stamp = \(Int64.random(in: 1...Int64.max)) RETURNING *)
                INSERT INTO log (day, seq, stamp, at, recorded, type, data)
                SELECT day, seq, stamp, 1, 1, 'node', '{}' FROM h
                """
            )
        }
    }

    private static func head(_ columns: String, _ server: PostgreSQLServer) throws -> String {
        try server.execute("SELECT \(columns) FROM log_head").split(whereSeparator: \.isNewline).joined()
    }

    /// Waits until the coordinator knows where the log is.
    private static func awaitOrigin(_ timeline: String, _ server: PostgreSQLServer) throws {
        try server.wait(for: "SELECT count(*) FROM log_head WHERE timeline = '\(timeline)'", toBe: "1")
    }

    @Test(
        "A restored backup has a new epoch: readers begin again, and no number of the lost time is given twice",
        arguments: [false, true]
    )
    func restoredBackup(hadSynchronousStandby: Bool) async throws {
        let fleet = try await StagedFleet(settings: PostgreSQLServer.copyable)
        let server = fleet.database.server
        // What readers require of a schema.
        try server.execute(
            """
            SET ROLE reachd; INSERT INTO schema_versions (version, needs) VALUES (\(FleetSchema.version), 1);
            CREATE FUNCTION create_log_partitions(integer) RETURNS integer LANGUAGE sql AS 'SELECT 7'
            """
        )
        let host = try #require(try await fleet.hosts(1).first)
        try await host.renew()
        try Self.awaitOrigin("00000001", server)
        try Self.log(5, on: server)
        try server.backUp()
        try Self.log(3, on: server)
        try fleet.database.assign(0...3, to: "n", token: 1)
        let reader = try FleetReader(database: try fleet.database.settings()) { _ in nil }
        defer { reader.close() }
        let positions = Recorder<EventID>()
        reader.log.onEvents { [log = reader.log] in positions.record(log.position) }
        _ = reader.log.beginFollowing()
        try await positions.next { $0.sequence == 8 }
        let numbering = reader.log.numbering

        server.kill()
        try server.restoreBackup()
        if hadSynchronousStandby {
            try server.execute("UPDATE log_head SET durable = true, until = until - \(3_600 + 601) * 1000000::bigint")
        }
        try await host.connect()
        try await host.renew()
        try Self.awaitOrigin("00000002", server)
        let epoch = try Self.head("epoch", server)
        #expect(epoch != Self.first && EventID(parsing: "\(epoch)-5") != nil)
        #expect(try Self.head("seq", server) == "5")
        let isAhead = "least(assignment, declared, settings_version, disputes) > 1700000000000000"
        #expect(try Self.head(isAhead, server) == "t")
        // It had read nothing of the lost data, so that its term goes on.
        #expect(host.messages.events.contains { $0.text.contains("a new epoch") })
        try await positions.next { $0 == EventID(epoch: epoch, sequence: 5) }
        #expect(reader.log.numbering == numbering + 1)
        // The next owner's token is one that nobody has had.
        try await fleet.client.connect()
        try await fleet.addNode("a", in: "berlin")
        let placement = try await fleet.place(watchers: 1, quorum: 1, in: ["berlin"])
        try await fleet.declare(["t"], placement: placement)
        try await fleet.until {
            try await fleet.assignments().owners.values.contains { $0.token > 1_700_000_000_000_000 }
        }
        #expect(try Self.head("epoch", server) == epoch)
        #expect(await host.statistics.terms == 2)
    }

    @Test(
        "A promoted standby keeps the epoch when it was synchronous, and otherwise begins a new one",
        arguments: [true, false]
    )
    func promotion(isSynchronous: Bool) async throws {
        let database = try FleetDatabase(settings: PostgreSQLServer.copyable)
        let primary = database.server
        let standby = try PostgreSQLServer(standbyOf: primary, name: "second")
        if isSynchronous {
            try primary.execute("ALTER SYSTEM SET synchronous_standby_names = 'second'")
            try primary.execute("SELECT pg_reload_conf()")
            try primary.wait(for: "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", toBe: "1")
        }
        let uri =
            "postgresql:///reachd?host=\(primary.folder.path),\(standby.folder.path)"
            + "&port=\(primary.port),\(standby.port)&user=reachd&target_session_attrs=read-write"
        try primary.execute(
            """
            INSERT INTO nodes (name, incarnation, location, version, capacity, since, until, resumed, epoch, announced)
            SELECT 'hub', 1, 'hub', '1', 0, t, t + 3600000000, 0, 'e', 'live' FROM (SELECT \(DatabaseClock.now) AS t) n
            """
        )
        let host = try CoordinatorHost("hub", uri: uri)
        try await host.connect()
        try await host.renew()
        try Self.awaitOrigin("00000001", primary)
        #expect(try Self.head("durable", primary) == (isSynchronous ? "t" : "f"))
        try Self.log(3, on: primary)
        if !isSynchronous { try standby.stop() }
        try Self.log(2, on: primary)
        primary.kill()
        if !isSynchronous { try standby.start() }
        try standby.promote()
        try await host.connect()
        try await host.renew()
        try Self.awaitOrigin("00000002", standby)
        #expect(try (Self.head("epoch", standby) == Self.first) == isSynchronous)
        #expect(try Self.head("durable", standby) == "f")
        let sequence = isSynchronous ? "5" : try Self.head("seq", standby)
        #expect(try Self.head("seq || ' ' || (SELECT count(*) FROM log)", standby) == "\(sequence) \(sequence)")
        #expect(isSynchronous || sequence != "5")
    }

    @Test("A node that does not find the newest event that it has seen demands a new epoch", arguments: [3, 5, 7])
    func lostEvents(newest: Int) async throws {
        let database = try FleetDatabase()
        try Self.log(5, on: database.server)
        let host = try SessionHost(lease: .seconds(1), settings: database.settings(statementTimeout: .seconds(20)))
        host.start()
        try await host.answers.next { $0.sequence == 5 }
        // As a copy of the files that was taken after the third event: the same server and timeline.
        try database.query("ALTER ROLE reachd NOLOGIN")
        try database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reachd'")
        try database.query(
            """
            DELETE FROM log WHERE seq > 3;
            UPDATE log_head SET seq = 3, stamp = (SELECT stamp FROM log WHERE seq = 3)
            """
        )
        try Self.log(newest - 3, on: database.server)
        try database.query("ALTER ROLE reachd LOGIN")
        let answer = try await host.answers.next { $0.epoch != Self.first }
        #expect(answer.sequence == Int64(newest) && answer.assignment > 1_700_000_000_000_000)
        let messages = host.messages.events.filter { $0.text.contains("a new epoch") }
        #expect(messages.map { $0.facts["event"] } == ["\(Self.first)-5"])
        // It is over: what was seen belongs to the new epoch.
        try await host.answers.next(after: host.answers.count + 2)
        #expect(try Self.head("epoch", database.server) == answer.epoch)
    }

    @Test("A node that finds what it has seen keeps the epoch on each new connection, also behind newer events")
    func keptEvents() async throws {
        let database = try FleetDatabase()
        try Self.log(5, on: database.server)
        let host = try SessionHost(lease: .seconds(1), settings: database.settings(statementTimeout: .seconds(20)))
        host.start()
        try await host.answers.next { $0.sequence == 5 }
        for newest in [5, 7] {
            try database.query("ALTER ROLE reachd NOLOGIN")
            try database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reachd'")
            try Self.log(newest - 5, on: database.server)
            let connections = host.connections.count
            try database.query("ALTER ROLE reachd LOGIN")
            try await host.connections.next(after: connections - 1) { $0 }
            try await host.answers.next(after: host.answers.count + 2)
            #expect(host.read { $0.session.link?.isVerified } == true)
            #expect(host.read { $0.session.parts.seen.mark?.sequence } == UInt64(newest))
        }
        #expect(try Self.head("epoch", database.server) == Self.first)
    }
}
