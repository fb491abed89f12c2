// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import PostgreSQL
import TestSupport
import Testing

@Suite(
    "Partitions of a fleet's log",
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")")
)
struct LogPartitionTests {
    private func makeFleet() async throws -> (admin: SchemaClient, node: SchemaClient, server: PostgreSQLServer) {
        let server = try PostgreSQLServer()
        try server.execute("CREATE ROLE berlin LOGIN")
        let admin = try await SchemaClient.open(server)
        try await admin.initialize()
        try await admin.execute("SET search_path = reachd")
        return (admin, try await SchemaClient.open(server, "berlin"), server)
    }

    private static let names = """
        SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'log'::regclass ORDER BY 1
        """

    /// An insert into the log; its parameters are the days after the log's day, and the number.
    private static let insert = """
        INSERT INTO log (day, seq, stamp, at, recorded, type, target, to_state, data)
        SELECT day + $1::integer, $2, 1, 1, 1, 'state', 'a', 'down', '{}' FROM log_head
        """

    /// Makes partitions of past days, as if the fleet had existed then.
    private func addPast(_ admin: SchemaClient, days: ClosedRange<Int>) async throws {
        for day in days {
            let bounds = try await admin.execute(
                "SELECT to_char(day - $1::integer, 'YYYYMMDD'), (day - $1::integer)::text, (day - $1::integer + 1)::text FROM log_head",
                [.integer(Int64(day))]
            )
            let (name, from, to) = try (bounds.text(0, 0), bounds.text(0, 1), bounds.text(0, 2))
            try await admin.execute(
                "CREATE TABLE log_\(name) PARTITION OF log FOR VALUES FROM ('\(from)') TO ('\(to)')"
            )
            try await admin.execute("ALTER TABLE log_\(name) OWNER TO reachd_owner")
        }
    }

    @Test("Initialization prepares today and seven days, and each of them accepts inserts")
    func ahead() async throws {
        let (_, node, _) = try await makeFleet()
        let expected = try await node.list(
            "SELECT 'log_' || to_char(day + n, 'YYYYMMDD') FROM log_head, generate_series(0, 7) n ORDER BY 1"
        )
        #expect(try await node.list(Self.names) == expected)
        for day in 0...7 { try await node.execute(Self.insert, [.integer(Int64(day)), .integer(Int64(day + 1))]) }
        #expect(await node.failure(Self.insert, [.integer(8), .integer(9)]) == .constraint)
        #expect(await node.failure(Self.insert, [.integer(7), .integer(8)]) == .constraint)
    }

    @Test("Creation is idempotent, extends what exists and returns the days ahead without a gap")
    func idempotent() async throws {
        let (admin, node, _) = try await makeFleet()
        let before = try await node.list(Self.names)
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(7)]).integer(0, 0) == 7)
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(0)]).integer(0, 0) == 7)
        #expect(try await node.list(Self.names) == before)
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(10)]).integer(0, 0) == 10)
        #expect(try await node.list(Self.names).count == 11)
        try await admin.execute("DROP TABLE \(before[3])")
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(1)]).integer(0, 0) == 2)
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(5)]).integer(0, 0) == 10)
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(20)]).integer(0, 0) == 20)
        for days in [-1, 61] {
            #expect(await node.failure(LogPartitions.create.sql, [.integer(Int64(days))]) == .invalidInput)
        }
        #expect(await node.failure(LogPartitions.create.sql, [.null]) == .invalidInput)
        // New partitions have the indexes of the log.
        let indexes = try await node.execute(
            "SELECT count(*) FROM pg_index i JOIN pg_inherits p ON p.inhrelid = i.indrelid WHERE p.inhparent = 'log'::regclass"
        )
        #expect(try indexes.integer(0, 0) == 2 * 21)
    }

    @Test("Concurrent calls create each partition once")
    func concurrent() async throws {
        let (_, node, server) = try await makeFleet()
        let nodes = [
            node, try await SchemaClient.open(server, "berlin"), try await SchemaClient.open(server, "berlin"),
        ]
        for days: Int64 in 8...20 {
            let reasons = await withTaskGroup(of: DatabaseError.Reason?.self) { group in
                for node in nodes { group.addTask { await node.failure(LogPartitions.create.sql, [.integer(days)]) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reasons.contains(nil))
            #expect(reasons.allSatisfy { $0 == nil || $0 == .lockTimeout })
        }
        #expect(try await node.list(Self.names).count == 21)
    }

    @Test("The log's day counts when the clock is behind it")
    func clockBehind() async throws {
        let (_, node, _) = try await makeFleet()
        try await node.execute("UPDATE log_head SET day = day + 3")
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(7)]).integer(0, 0) == 7)
        try await node.execute(Self.insert, [.integer(7), .integer(1)])
        // Nothing of today or later is old, whatever the log's day is.
        #expect(try await node.execute(LogPartitions.drop.sql, [.integer(1)]).integer(0, 0) == 0)
        #expect(try await node.list(Self.names).count == 11)
    }

    @Test("Old partitions are dropped with their rows of log_days, ten with each call, never those of today or later")
    func dropped() async throws {
        let (admin, node, _) = try await makeFleet()
        let kept = try await node.list(Self.names)
        try await addPast(admin, days: 1...25)
        for day in -25...0 { try await node.execute(Self.insert, [.integer(Int64(day)), .integer(Int64(100 + day))]) }
        try await node.execute(LogPartitions.create.sql, [.integer(7)])
        #expect(try await node.list("SELECT count(*)::text FROM log_days") == ["26"])
        for expected: Int64 in [10, 8, 0] {
            #expect(try await node.execute(LogPartitions.drop.sql, [.integer(7)]).integer(0, 0) == expected)
        }
        let remaining = try await node.execute("SELECT count(*), min(seq), max(seq) FROM log")
        #expect(try (remaining.integer(0, 0), remaining.integer(0, 1), remaining.integer(0, 2)) == (8, 93, 100))
        #expect(
            try await node.list("SELECT first_seq::text FROM log_days ORDER BY 1") == ["100"]
                + (93...99).map { "\($0)" }
        )
        #expect(try await node.execute(LogPartitions.drop.sql, [.integer(1)]).integer(0, 0) == 6)
        #expect(Set(try await node.list(Self.names)).isSuperset(of: kept))
        #expect(try await node.list(Self.names).count == kept.count + 1)
        for days in [-1, 0, 36_501] {
            #expect(await node.failure(LogPartitions.drop.sql, [.integer(Int64(days))]) == .invalidInput)
        }
    }

    @Test("A partition of another name or place is left alone")
    func foreignPartition() async throws {
        let (admin, node, _) = try await makeFleet()
        try await admin.execute(
            "CREATE TABLE archive PARTITION OF log FOR VALUES FROM ('2000-01-01') TO ('2001-01-01')"
        )
        try await admin.execute(
            "CREATE TABLE public.log_20020101 PARTITION OF log FOR VALUES FROM ('2002-01-01') TO ('2002-01-02')"
        )
        #expect(try await node.execute(LogPartitions.drop.sql, [.integer(1)]).integer(0, 0) == 0)
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(7)]).integer(0, 0) == 7)
        #expect(try await node.list(Self.names).count == 10)
    }

    @Test("log_days has the first number of each day with events, and a reader finds its day with it")
    func days() async throws {
        let (admin, node, _) = try await makeFleet()
        try await addPast(admin, days: 1...5)
        // No events on two of the days.
        var number: Int64 = 0
        for day: Int64 in [-5, -4, -2, 0] {
            for _ in 0..<3 {
                number += 1
                try await node.execute(Self.insert, [.integer(day), .integer(number)])
            }
            try await node.execute(LogPartitions.create.sql, [.integer(7)])
            try await node.execute(LogPartitions.create.sql, [.integer(7)])
        }
        #expect(
            try await node.list("SELECT d.day - h.day || ' ' || first_seq FROM log_days d, log_head h ORDER BY d.day")
                == ["-5 1", "-4 4", "-2 7", "0 10"]
        )
        for last in 0..<number {
            let rows = try await node.execute(
                """
                SELECT seq FROM log WHERE seq > $1 AND day >= (SELECT max(day) FROM log_days WHERE first_seq <= $1::bigint + 1)
                ORDER BY day, seq
                """,
                [.integer(last)]
            )
            #expect(try (0..<rows.rowCount).map { try rows.integer($0, 0) } == Array((last + 1)...number))
        }
    }

    @Test(
        "An open transaction that reads the log prevents a drop for 100 ms at most, and neither creation nor other readers wait"
    )
    func openTransaction() async throws {
        let (admin, node, server) = try await makeFleet()
        try await addPast(admin, days: 1...3)
        let other = try await SchemaClient.open(server, "berlin")
        try await admin.execute("BEGIN")
        try await admin.execute("SELECT count(*) FROM log")
        // A drop that waited longer would end with the node's statement_timeout, and the reader with its lock_timeout.
        async let dropped = node.failure(LogPartitions.drop.sql, [.integer(1)])
        async let read = other.failure("SELECT count(*) FROM log")
        #expect(await dropped == .lockTimeout)
        #expect(await read == nil)
        #expect(try await node.execute(LogPartitions.create.sql, [.integer(12)]).integer(0, 0) == 12)
        try await other.execute(Self.insert, [.integer(12), .integer(1)])
        try await admin.execute("COMMIT")
        #expect(try await node.execute(LogPartitions.drop.sql, [.integer(1)]).integer(0, 0) == 2)
    }
}
