// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "The history of the fleet's targets",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetHistoryTests {
    private static let days = ["2026-10-01", "2026-10-02", "2026-10-05"]

    /// A fleet with seven targets and events of three days.
    private func makeScene() async throws -> ReaderScene {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.declare((0..<8).map { "t\($0)" })
        try await scene.createPartitions(Self.days)
        for (day, count) in zip(Self.days, [100, 300, 200]) {
            try await scene.admin.execute("UPDATE log_head SET day = '\(day)'")
            try await scene.log(count)
        }
        return scene
    }

    /// The numbers of all pages' events.
    private func read(
        _ reader: OpenReader,
        _ target: String,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        limit: Int
    ) async throws -> [UInt64] {
        var found: [UInt64] = []
        var before: UInt64? = .max
        while let sequence = before {
            let question = FleetHistory.question(of: target, before: sequence, from: from, to: to, limit: limit)
            let page = try #require(try await reader.answer(question))
            #expect(page.events.count <= limit && page.events.allSatisfy { $0.target == target })
            #expect(page.next == nil || page.events.last?.sequence ?? page.next == page.next)
            found += page.events.map(\.sequence)
            before = page.next
        }
        return found
    }

    @Test("Pages have each change once, newest first, from all days")
    func pages() async throws {
        let scene = try await makeScene()
        let reader = try scene.makeReader()
        let expected = try await scene.node.list(
            "SELECT seq::text FROM log WHERE target = 't3' ORDER BY log.seq DESC"
        ).compactMap { UInt64($0) }
        #expect(expected.count > 80)
        for limit in [1, 7, expected.count - 1, expected.count, 1_000] {
            #expect(try await read(reader, "t3", limit: limit) == expected)
        }
        let question = FleetHistory.question(of: "t3", before: .max, from: nil, to: nil, limit: 1)
        let event = try #require(try await reader.answer(question)?.events.first)
        #expect(event.transition == .init(from: .up, to: .down, reason: nil, cause: .target) && event.type == .state)
        #expect(event.tags == ["env": "prod", "role": "web"] && event.group == "edge")
        // The last of 200 events, whose times are numbered from one millisecond on.
        #expect(event.at == Timestamp(milliseconds: 199) && event.data == Array(#"{"n":199}"#.utf8))
        #expect(try await reader.answer(question)?.epoch == scene.node.list("SELECT epoch FROM log_head")[0])
    }

    @Test("Times limit it: the first is included, the last is not")
    func times() async throws {
        let scene = try await makeScene()
        let reader = try scene.makeReader()
        for (from, to) in [(10, 24), (17, 17), (0, 1_000), (17, 18), (-5, 4), (300, 400)] as [(Int64, Int64)] {
            let expected = try await scene.node.list(
                "SELECT seq::text FROM log WHERE target = 't3' AND at >= \(from * 1_000) AND at < \(to * 1_000) ORDER BY log.seq DESC"
            )
            let found = try await read(
                reader,
                "t3",
                from: Timestamp(milliseconds: from),
                to: Timestamp(milliseconds: to),
                limit: 3
            )
            #expect(found.map { "\($0)" } == expected, "\(from) to \(to)")
        }
        let all = try await read(reader, "t3", limit: 1_000)
        let extremes = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(try await read(reader, "t3", from: extremes.0, to: extremes.1, limit: 1_000) == all)
        #expect(try await read(reader, "t3", from: extremes.1, to: extremes.0, limit: 1_000).isEmpty)
    }

    @Test("A target without changes has an empty history, and an unknown one has none")
    func none() async throws {
        let scene = try await makeScene()
        let reader = try scene.makeReader()
        let question = FleetHistory.question(of: "t7", before: .max, from: nil, to: nil, limit: 10)
        let history = try #require(try await reader.answer(question))
        #expect(history.events.isEmpty && history.next == nil && history.epoch.utf8.count == 16)
        for id in ["none", "", "' OR true --"] {
            let unknown = FleetHistory.question(of: id, before: .max, from: nil, to: nil, limit: 10)
            #expect(try await reader.answer(unknown) == nil)
        }
    }

    @Test("Rows that cannot be read are left out, and those behind them are not")
    func unreadable() async throws {
        let scene = try await makeScene()
        let reader = try scene.makeReader()
        let expected = try await read(reader, "t3", limit: 1_000)
        for data in ["nonsense", "", "[]"] {
            try await scene.log(
                "SELECT 'state' AS type, 't3' AS target, 'up' AS from_state, 'down' AS to_state, '\(data)' AS data, 1 AS at"
            )
        }
        try await scene.log(
            "SELECT 'new' AS type, 't3' AS target, 'up' AS from_state, 'down' AS to_state, '{}' AS data, 1 AS at"
        )
        for limit in [1, 2, 3, 4, 5, 1_000] { #expect(try await read(reader, "t3", limit: limit) == expected) }
    }
}
