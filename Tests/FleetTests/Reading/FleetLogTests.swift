// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "The fleet's log on a node",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct FleetLogTests {
    /// The log as the database has it.
    private func stored(_ scene: ReaderScene, after number: UInt64 = 0) async throws -> [String] {
        try await scene.admin.list("SELECT seq || ' ' || data FROM log WHERE seq > \(number) ORDER BY day, log.seq")
    }

    private func text(_ events: [RecordedEvent]) -> [String] {
        events.map { "\($0.sequence) \(String(decoding: $0.data, as: UTF8.self))" }
    }

    private func newest(_ scene: ReaderScene) async throws -> UInt64 {
        UInt64(clamping: try await scene.admin.execute("SELECT seq FROM log_head").integer(0, 0))
    }

    @Test("Two nodes deliver the same events without a gap: single ones, several pages at once, and across midnight")
    func twoNodes() async throws {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.createPartitions(["2026-10-01", "2026-10-02", "2026-10-04"])
        try await scene.admin.execute("UPDATE log_head SET day = '2026-10-01'")
        let (first, second) = (try scene.makeReader(), try scene.makeReader())
        let readers = [LogReader(first.reader.log, after: 0), LogReader(second.reader.log, after: 0)]
        for reader in readers { _ = try await reader.reach(0) }
        for (count, day) in [
            (1, nil), (2, nil), (3_000, nil), (1, "2026-10-02"), (1_024, nil), (1_025, "2026-10-04"), (1, nil),
        ] as [(Int, String?)] {
            try await scene.log(count, day: day)
            let newest = try await newest(scene)
            for reader in readers {
                let events = try await reader.reach(newest)
                #expect(events.map(\.sequence) == Array(1...newest))
            }
        }
        let expected = try await stored(scene)
        for reader in readers {
            #expect(text(try await reader.reach(5_054)) == expected)
            #expect(reader.recallCount == 0)
        }
    }

    @Test("What is no longer in memory, or was never, is read from the database, from all its days")
    func recall() async throws {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.createPartitions(["2026-10-01", "2026-10-02", "2026-10-04"])
        try await scene.admin.execute("UPDATE log_head SET day = '2026-10-01'")
        try await scene.log(500)
        try await scene.log(500, day: "2026-10-02")
        try await scene.admin.execute(
            "INSERT INTO log_days VALUES ('2026-10-01', 1), ('2026-10-02', 501)"
        )
        let node = try scene.makeReader()
        let follower = LogReader(node.reader.log, after: 900)
        #expect(text(try await follower.reach(1_000)) == (try await stored(scene, after: 900)))
        #expect(follower.recallCount > 0)
        // More than the memory holds.
        for _ in 0..<5 {
            try await scene.log(3_500, day: "2026-10-04")
            _ = try await follower.reach(newest(scene))
        }
        #expect(node.reader.log.heldEvents(after: 1_000, limit: 1) == nil)
        let expected = try await stored(scene)
        for start in [0, 499, 500, 501, 999, 1_000, 1_001, 18_499] as [UInt64] {
            let late = LogReader(node.reader.log, after: start)
            #expect(text(try await late.reach(18_500)) == Array(expected.dropFirst(Int(start))), "\(start)")
        }
    }

    @Test("A reader that returns after a pause continues where it was, whether few or many events came meanwhile")
    func pause() async throws {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.admin.execute("SELECT create_log_partitions(1)")
        let node = try scene.makeReader()
        let ear = LogReader(node.reader.log)
        _ = try await ear.reach(0)
        var position: UInt64 = 0
        for count in [1, 10, 5_000, 1] {
            ear.end()
            try await scene.log(count)
            let newest = try await newest(scene)
            let reader = LogReader(node.reader.log, after: position)
            #expect(text(try await reader.reach(newest)) == (try await stored(scene, after: position)))
            reader.end()
            position = newest
        }
        // Many events between two looks of a node that has a reader, too.
        let reader = LogReader(node.reader.log, after: position)
        _ = try await reader.reach(position)
        try await scene.log(6_000)
        #expect(text(try await reader.reach(position + 6_000)) == (try await stored(scene, after: position)))
    }

    @Test("Another epoch is another numbering, and what follows is read from its own log")
    func epoch() async throws {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.createPartitions(["2026-10-01", "2026-10-04"])
        try await scene.admin.execute("UPDATE log_head SET day = '2026-10-04'")
        try await scene.log(100)
        let node = try scene.makeReader()
        let log = node.reader.log
        let reader = LogReader(log)
        _ = try await reader.reach(100)
        let numbering = log.numbering
        let changed = Recorder<EventID>()
        log.onEvents { if log.numbering != numbering { changed.record(log.position) } }
        // A backup of an earlier day was restored; the new log is shorter, and goes on.
        try await scene.admin.execute(
            "WITH d AS (DELETE FROM log) UPDATE log_head SET epoch = '00000000000000b2', seq = 50, day = '2026-10-01'"
        )
        let position = try await changed.next()
        #expect(position == EventID(epoch: "00000000000000b2", sequence: 50))
        #expect(log.epoch == "00000000000000b2" && log.numbering == numbering + 1 && log.epochRevision == log.numbering)
        let next = LogReader(log)
        _ = try await next.reach(50)
        try await scene.log(3)
        #expect(try await next.reach(53).map(\.sequence) == [51, 52, 53])
        #expect(log.extent == LogExtent(epoch: "00000000000000b2", oldest: 51, newest: 53))
    }

    @Test("Rows that cannot be read are skipped, in memory and from the database, and the position passes them")
    func unreadable() async throws {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.admin.execute("SELECT create_log_partitions(1)")
        let node = try scene.makeReader()
        let reader = LogReader(node.reader.log)
        _ = try await reader.reach(0)
        func write(_ type: String, _ data: String, _ count: Int) async throws {
            try await scene.log(
                "SELECT '\(type)' AS type, 't' AS target, 'up' AS from_state, 'down' AS to_state, '\(data)' AS data, 1 AS at "
                    + "FROM generate_series(1, \(count))"
            )
        }
        try await write("state", #"{"n":1}"#, 1)
        try await write("of_a_newer_version", "{}", 2_100)
        try await write("state", "nonsense", 300)
        try await write("state", "", 298)
        try await write("state", "{\n\ndata: of another event\n\n}", 1)
        try await write("state", "{\(String(repeating: "x", count: LogPage.dataLimit))", 1)
        try await write("state", #"{"n":2}"#, 1)
        try await write("", "{}", 1)
        let late = LogReader(node.reader.log, after: 0)
        let distant = try scene.makeReader()
        let recalled = LogReader(distant.reader.log, after: 0)
        for one in [reader, late, recalled] {
            #expect(try await one.reach(2_703).map(\.sequence) == [1, 2_702])
        }
        #expect(recalled.recallCount > 0)
    }

    @Test("The extent tells what is kept: from the days' first numbers, from the log, or nothing")
    func extent() async throws {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.createPartitions(["2026-10-01", "2026-10-04"])
        try await scene.admin.execute("UPDATE log_head SET day = '2026-10-01', seq = 70")
        func oldest() async throws -> UInt64 {
            let node = try scene.makeReader()
            let reader = LogReader(node.reader.log)
            _ = try await reader.reach(0)
            return node.reader.log.extent.oldest
        }
        #expect(try await oldest() == 71)
        try await scene.log(10)
        try await scene.log(10, day: "2026-10-04")
        #expect(try await oldest() == 71)
        try await scene.admin.execute("INSERT INTO log_days VALUES ('2026-10-01', 71), ('2026-10-04', 81)")
        try await scene.admin.execute("DROP TABLE log_20261001")
        try await scene.admin.execute("DELETE FROM log_days WHERE day = '2026-10-01'")
        #expect(try await oldest() == 81)
    }

    @Test("It is current for those who came before a look began, and not before its last page")
    func currency() async throws {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.admin.execute("SELECT create_log_partitions(1)")
        let node = try scene.makeReader()
        let log = node.reader.log
        let seen = Recorder<UInt64>()
        let first = LogReader(log)
        _ = try await first.reach(0)
        // Three pages, of which a notification or a look may find the first ones.
        try await scene.log(3_000)
        let ticket = log.beginFollowing()
        log.onEvents { if log.isCurrent(since: ticket) { seen.record(log.extent.newest) } }
        #expect(try await seen.next() == 3_000)
        let other = try scene.makeReader()
        #expect(!other.reader.log.isCurrent(since: 1) && other.reader.log.epoch.isEmpty)
        log.endFollowing()
        _ = try await first.reach(3_000)
    }
}
