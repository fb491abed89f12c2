// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "Reading what nodes stored of a target's probes",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct TargetRollupsTests {
    private static let day = RollupLength.day.milliseconds
    private static let hour = RollupLength.hour.milliseconds

    /// A fleet, a reader of it and the beginning of the database's day.
    private func makeScene() async throws -> (scene: ReaderScene, reader: OpenReader, today: Int64) {
        let scene = try await SharedServer.makeReaderScene()
        let now = try await scene.admin.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
            .integer(0, 0)
        return (scene, try scene.makeReader(), RollupLength.day.start(of: now))
    }

    private func store(_ values: String, in scene: ReaderScene) async throws {
        try await scene.admin.execute(
            """
            INSERT INTO rollups (month, target, length, start, location, node, data)
            SELECT date_trunc('month', to_timestamp(start / 1000) AT TIME ZONE 'UTC')::date, target, length * 1000, start * 1000,
              location, node, data
            FROM (\(values)) AS v(target, length, start, location, node, data)
            """
        )
    }

    private func rows(_ reader: OpenReader, _ target: String, _ ranges: [Range<Int64>]) async throws -> TargetRollups {
        try await reader.answer(TargetRollups.question(of: target, in: ranges))
    }

    @Test(
        "Days that end in the ranges, hours where days do not suffice, of one target alone; nothing when nothing is stored"
    )
    func selection() async throws {
        let (scene, reader, today) = try await makeScene()
        let now = today + 5 * Self.hour
        #expect(try await rows(reader, "a", [now - 7 * Self.day..<now]).rows.isEmpty)
        // The month before has a partition.
        try await store(
            """
            SELECT t, \(Self.day)::bigint, \(today)::bigint - d * \(Self.day)::bigint, 'berlin', 'n1', '\\x01'::bytea
            FROM generate_series(1, 20) d, unnest('{a,b}'::text[]) t
            UNION ALL SELECT t, \(Self.hour)::bigint, \(today)::bigint - h * \(Self.hour)::bigint, 'berlin', 'n1', '\\x02'::bytea
            FROM generate_series(-4, 480) h, unnest('{a,b}'::text[]) t
            """,
            in: scene
        )
        let week = try await rows(reader, "a", [now - 7 * Self.day..<now])
        #expect(week.skipped == 0)
        #expect(Set(week.rows.filter { $0.length == .day }.map(\.start)) == Set((1...7).map { today - $0 * Self.day }))
        // The first day is partly in the range; yesterday may not be stored as a day yet, and today is not over.
        let hours = Set(week.rows.filter { $0.length == .hour }.map(\.start))
        #expect(
            hours
                == Set(
                    (0..<24).map { today - 7 * Self.day + $0 * Self.hour } + (-24..<5).map { today + $0 * Self.hour }
                )
        )
        let last = try await rows(reader, "b", [now - Self.hour..<now])
        #expect(last.rows.count == 5)
        #expect(last.rows.allSatisfy { $0.length == .hour && $0.start >= today && $0.data == [2] })
        try await scene.admin.execute("UPDATE log_head SET settings = '{\"rollups\":\"off\"}'")
        #expect(try await rows(reader, "a", [now - 7 * Self.day..<now]).rows.isEmpty)
        // Settings that make no sense are the defaults.
        for settings in ["{\"rollups\":\"none\"}", "{\"rollups\":7}", "no JSON", ""] {
            try await scene.admin.execute("UPDATE log_head SET settings = '\(settings)'")
            #expect(try await rows(reader, "b", [now - Self.hour..<now]).rows.count == 5, "\(settings)")
        }
    }

    @Test("Rows that make no sense are skipped and counted; what is too much is not read")
    func hostile() async throws {
        let (scene, reader, today) = try await makeScene()
        let range = today - 3 * Self.day..<today
        func row(_ start: Int64, _ node: String, _ data: String, length: Int64 = Self.day) -> String {
            "SELECT 'a', \(length)::bigint, \(start)::bigint, 'berlin', \(node), \(data)"
        }
        try await store(
            [
                row(today - Self.day, "'good'", "'\\x0102'::bytea"),
                row(today - Self.day + 1, "'unaligned'", "'\\x01'::bytea"),
                row(today - Self.day, "''", "'\\x01'::bytea"),
                row(today - Self.day, "repeat('n', 201)", "'\\x01'::bytea"),
                row(today - Self.day, "'large'", "decode(repeat('00', 16385), 'hex')"),
                row(today - Self.day, "'other'", "'\\x01'::bytea", length: 7),
            ].joined(separator: " UNION ALL "),
            in: scene
        )
        let found = try await rows(reader, "a", [range])
        #expect(found.rows.map(\.node) == ["good"] && found.rows[0].data == [1, 2])
        #expect(found.skipped == 4)
        // More than a result may have: the newest within the bound.
        try await store(
            """
            SELECT 'b', \(Self.day)::bigint, \(today)::bigint - (1 + n % 3) * \(Self.day)::bigint, 'berlin', 'n' || n,
              decode(repeat('01', 16000), 'hex') FROM generate_series(0, 2999) n
            """,
            in: scene
        )
        let many = try await rows(reader, "b", [range])
        #expect(many.rows.reduce(0) { $0 + $1.data.count } <= TargetRollups.sizeLimit)
        #expect(many.rows.count > 500 && many.rows.allSatisfy { $0.start == today - Self.day })
    }
}
