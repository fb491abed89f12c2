// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "How long the fleet's targets were in each state",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetStateTimesTests {
    @Test("Times are those of a simple computation over random lives, also of targets that were declared again")
    func random() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        var random = SeededGenerator(seed: 11)
        let now = try await scene.admin.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
            .integer(0, 0)
        let lives = (0..<200).map { StateLife("t\($0)", until: now - 60_000, &random) }
        try await scene.declare(lives.map(\.target))
        try await store(lives, in: scene)
        for life in lives {
            let ranges = (0..<5).map { _ -> Range<Int64> in
                let ends = [0, 1].map { _ in Int64.random(in: now - 5 * 86_400_000...now - 1_000, using: &random) }
                    .sorted()
                return ends[0]..<ends[1] + 1
            }
            let question = FleetStateTimes.question(of: life.target, in: ranges)
            let times = try #require(try await reader.answer(question)?.times)
            for (range, times) in zip(ranges, times) { #expect(times == life.times(in: range), "\(life) \(range)") }
        }
    }

    @Test("The present state lasts until now; an unknown target has no times, and no ranges are no times")
    func present() async throws {
        let scene = try await SharedServer.makeReaderScene()
        let reader = try scene.makeReader()
        try await scene.declare(["a"])
        try await scene.admin.execute("UPDATE verdicts SET state = 'up', since = 1000000")
        func times(_ id: String, _ ranges: [Range<Int64>]) async throws -> [[TargetState: UInt64]]? {
            try await reader.answer(FleetStateTimes.question(of: id, in: ranges))?.times
        }
        #expect(try await times("a", []) == [])
        #expect(try await times("a", [0..<1_000, 500..<1_500, 900..<901]) == [[:], [.up: 500], [:]])
        #expect(try await times("none", [0..<1_000]) == nil)
        let earlier = try await scene.admin.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
            .integer(0, 0)
        let found = try #require(try await times("a", [0..<earlier * 2])?[0][.up])
        let later = try await scene.admin.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
            .integer(0, 0)
        #expect(earlier - 1_001...later - 999 ~= Int64(clamping: found))
    }

    /// Writes the lives into the log, in the order of their changes, and the verdicts.
    private func store(_ lives: [StateLife], in scene: ReaderScene) async throws {
        let events = lives.flatMap { life in life.events.map { (target: life.target, event: $0) } }
            .sorted { $0.event.written < $1.event.written }
        let days = Dictionary(grouping: events) { Timestamp(milliseconds: $0.event.written).description.prefix(10) }
        for (day, events) in days.sorted(by: { $0.key < $1.key }) {
            let today = try await scene.admin.list("SELECT day::text FROM log_head")[0]
            if today != day {
                try await scene.createPartitions([String(day)])
            } else {
                try await scene.admin.execute("SELECT create_log_partitions(0)")
            }
            let rows = events.map { target, event in
                "('state', '\(target)', '\(event.from.rawValue)', '\(event.to.rawValue)', "
                    + "'{\"previous_since\":\"\(Timestamp(milliseconds: event.previousSince))\"}', \(event.at * 1_000))"
            }
            try await scene.admin.execute("UPDATE log_head SET day = '\(day)'")
            try await scene.log(
                "SELECT * FROM (VALUES \(rows.joined(separator: ", "))) AS v(type, target, from_state, to_state, data, at)"
            )
            try await scene.admin.execute("UPDATE log_head SET day = '\(today)'")
        }
        for life in lives {
            try await scene.admin.execute(
                "UPDATE verdicts SET state = '\(life.state.rawValue)', since = \(life.since * 1_000) WHERE target = '\(life.target)'"
            )
        }
    }
}
