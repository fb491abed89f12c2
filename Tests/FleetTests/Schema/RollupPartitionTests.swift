// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Partitions of the fleet's rollups",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct RollupPartitionTests {
    private func makeFleet(
        _ migrations: [Migration] = Migration.all
    ) async throws -> (admin: SchemaClient, node: SchemaClient) {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let admin = try await SchemaClient.open(server)
        try await admin.initialize(migrations: migrations)
        try await admin.execute("SET search_path = reachd")
        return (admin, try await SchemaClient.open(server, "berlin"))
    }

    /// The months of the partitions, counted from the present one.
    private func partitions(_ client: SchemaClient) async throws -> [String] {
        try await client.list(
            """
            SELECT (extract(year FROM age) * 12 + extract(month FROM age))::int::text
            FROM (SELECT age(to_date(right(inhrelid::regclass::text, 6), 'YYYYMM'),
              date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date) AS age
              FROM pg_inherits WHERE inhparent = 'rollups'::regclass) x ORDER BY age
            """
        )
    }

    private static let insert = """
        INSERT INTO rollups SELECT (date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + make_interval(months => $1::int))::date,
          'a', 1, 2, 'berlin', 'n1', '\\x00'
        """

    @Test("There are partitions for the month before, the present one and the following; creation is idempotent")
    func creation() async throws {
        let (_, node) = try await makeFleet()
        #expect(try await partitions(node) == ["-1", "0", "1", "2"])
        for month: Int64 in -1...2 { try await node.execute(Self.insert, [.integer(month)]) }
        #expect(await node.failure(Self.insert, [.integer(3)]) == .constraint)
        #expect(try await node.execute(RollupPartitions.create.sql, [.integer(2)]).integer(0, 0) == 0)
        #expect(try await node.execute(RollupPartitions.create.sql, [.integer(4)]).integer(0, 0) == 2)
        try await node.execute(Self.insert, [.integer(3)])
        for months: DatabaseValue in [.integer(-1), .integer(25), .null] {
            #expect(await node.failure(RollupPartitions.create.sql, [months]) == .invalidInput)
        }
    }

    @Test("Months that ended before what is kept are dropped, ten with each call, and neither of the last two")
    func drop() async throws {
        let (admin, node) = try await makeFleet()
        for month in 2...16 {
            try await admin.execute(
                """
                DO $$ DECLARE m date := date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') - interval '\(month) month'; BEGIN
                EXECUTE format('CREATE TABLE %I PARTITION OF rollups FOR VALUES FROM (%L) TO (%L)',
                  'rollups_' || to_char(m, 'YYYYMM'), m, m + interval '1 month');
                EXECUTE format('ALTER TABLE %I OWNER TO reachd_owner', 'rollups_' || to_char(m, 'YYYYMM')); END $$
                """
            )
        }
        #expect(try await node.execute(RollupPartitions.drop.sql, [.integer(36_500)]).integer(0, 0) == 0)
        let months = try await node.execute(
            """
            SELECT count(*) FROM generate_series(2, 16) n, (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS today) x
            WHERE date_trunc('month', today) - make_interval(months => n) < date_trunc('month', today - 366)
            """
        )
        let old = try months.integer(0, 0)
        #expect(3...4 ~= old)
        for expected in [old, 0] {
            #expect(try await node.execute(RollupPartitions.drop.sql, [.integer(366)]).integer(0, 0) == expected)
        }
        for expected in [10, 5 - old, 0] {
            #expect(try await node.execute(RollupPartitions.drop.sql, [.integer(1)]).integer(0, 0) == expected)
        }
        #expect(try await partitions(node) == ["-1", "0", "1", "2"])
        for days: DatabaseValue in [.integer(0), .integer(36_501), .null] {
            #expect(await node.failure(RollupPartitions.drop.sql, [days]) == .invalidInput)
        }
    }

    @Test(
        "A fleet of version 1 receives the tables, and its nodes still write; a node that stores rollups waits for them"
    )
    func migration() async throws {
        let (admin, node) = try await makeFleet([.initial])
        #expect(try await node.checkProblem()?.code == .schemaTooOld)
        #expect(
            try await admin.migrate(Migration.all)
                == Migration.all.dropFirst().map { SchemaStep(.migration($0.version), .done) }
        )
        for version in 1...FleetSchema.version {
            let usable = UsableSchema(name: "reachd", version: FleetSchema.version)
            #expect(try await node.check(version: version).get() == usable)
        }
        #expect(try await partitions(node) == ["-1", "0", "1", "2"])
        let registered = try await node.execute(
            MembershipStatements.register.sql,
            [.text("n1"), .text("berlin"), .null, .text("1.0"), .integer(1), .text("00"), .integer(60_000_000)]
        )
        #expect(try registered.integer(0, 0) == 1)
    }
}
