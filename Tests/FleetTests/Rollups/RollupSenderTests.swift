// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import PostgreSQL
import TestSupport
import Testing

@testable import Fleet

@Suite(
    "What nodes store of their history",
    .serialized,
    .timeLimit(.minutes(15)),
    .enabled(if: PostgreSQLServer.obstacle == nil, "\(PostgreSQLServer.obstacle ?? "")"),
    .sharedServer
)
struct RollupSenderTests {
    private static let day = RollupLength.day.milliseconds
    private static let hour = RollupLength.hour.milliseconds

    /// A fleet with two targets, and the beginning of the database's day.
    private func makeFleet(_ ids: [String] = ["a", "b"]) async throws -> (scene: ReaderScene, today: Int64) {
        let scene = try await SharedServer.makeReaderScene()
        try await scene.declare(ids)
        let now = try await scene.admin.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
            .integer(0, 0)
        return (scene, RollupLength.day.start(of: now))
    }

    /// What is stored: target, days before today, node, location and data.
    private func stored(_ scene: ReaderScene, _ today: Int64, _ length: RollupLength = .day) async throws -> [String] {
        try await scene.admin.table(
            """
            SELECT target, (start - \(today * 1_000)) / \(length.milliseconds * 1_000), node, location, encode(data, 'hex') FROM rollups
            WHERE length = \(length.milliseconds * 1_000) ORDER BY 1, 2, 3
            """
        )
    }

    @Test(
        "A new node begins with the present day, and stores it when it is over; nothing twice, and nothing of other targets"
    )
    func life() async throws {
        let (scene, today) = try await makeFleet()
        let host = try await SenderHost("n1", scene.node, now: today - 3 * Self.day + 1)
        for (target, data) in [("a", 1), ("b", 2), ("own", 3)] as [(String, UInt8)] {
            host.source.add(target, .day, today - 4 * Self.day, [data, 0])
            host.source.add(target, .day, today - 3 * Self.day, [data, 1])
        }
        await host.renew(5)
        #expect(host.statements.events == ["rollup_positions", "store_rollups"])
        #expect(try await stored(scene, today).isEmpty)
        // The history completes the day after its end, and nodes spread what they send.
        host.move(to: today - 2 * Self.day + 59_000)
        await host.renew(2)
        #expect(host.statements.count == 2)
        #expect(host.status.waiting == 1)
        host.move(to: today - 2 * Self.day + 700_000)
        await host.renew(5)
        let expected = ["a -3 n1 berlin 0101", "b -3 n1 berlin 0201"]
        #expect(try await stored(scene, today) == expected)
        #expect(host.statements.count == 3)
        #expect(host.status == RollupSender.Status(stored: 2, waiting: 0))
        // A restart reads the position, and sends nothing again.
        host.restart()
        await host.renew(5)
        #expect(host.statements.count == 4)
        #expect(try await stored(scene, today) == expected)
    }

    @Test("What could not be sent follows: after an outage, and after a restart in the middle of a day's pages")
    func outage() async throws {
        let ids = (0..<2_500).map { "t\($0)" }
        let (scene, today) = try await makeFleet(ids)
        let host = try await SenderHost("n1", scene.node, now: today - 4 * Self.day)
        await host.renew(2)
        for past: Int64 in 2...4 {
            // Without targets for a day.
            for id in ids where past != 3 { host.source.add(id, .day, today - past * Self.day, [UInt8(past)]) }
        }
        host.fail(DatabaseError(.connectionLost, "cut"))
        host.move(to: today - Self.day + 700_000)
        await host.renew(5)
        #expect(host.status.waiting == 3)
        // One message for all failures.
        #expect(host.messages.count == 1)
        host.fail(nil)
        // Two of three pages.
        await host.renew(2)
        #expect(try await scene.admin.table("SELECT count(*) FROM rollups") == ["2000"])
        host.restart()
        await host.renew(9)
        #expect(
            try await scene.admin.table("SELECT encode(data, 'hex'), count(*) FROM rollups GROUP BY 1 ORDER BY 1") == [
                "02 2500", "04 2500",
            ]
        )
        #expect(
            try await scene.admin.table("SELECT node, through - \((today - Self.day) * 1_000) FROM rollup_positions")
                == ["n1 0"]
        )
        let count = host.statements.count
        await host.renew(3)
        #expect(host.statements.count == count && host.status.waiting == 0)
        // A restored database has an older position: the same is sent, and changes nothing.
        try await scene.admin.execute("UPDATE rollup_positions SET through = through - \(Self.day * 2_000)")
        host.reconnect()
        let before = try await scene.admin.table("SELECT sum(xmin::text::bigint) FROM rollups")
        await host.renew(9)
        #expect(host.statements.count > count)
        #expect(try await scene.admin.table("SELECT sum(xmin::text::bigint) FROM rollups") == before)
    }

    @Test(
        "Two nodes of a location that had a target in the same day are two rows; an earlier run of a node stores nothing"
    )
    func takeover() async throws {
        let (scene, today) = try await makeFleet()
        let first = try await SenderHost("n1", scene.node, now: today - 2 * Self.day)
        let second = try await SenderHost("n2", scene.node, now: today - 2 * Self.day)
        let third = try await SenderHost("n3", at: "paris", scene.node, now: today - 2 * Self.day)
        for (host, data) in [(first, 1), (second, 2), (third, 3)] as [(SenderHost, UInt8)] {
            host.source.add("a", .day, today - 2 * Self.day, [data])
            await host.renew(2)
            host.move(to: today)
        }
        for host in [first, second, third] { await host.renew(2) }
        #expect(try await stored(scene, today) == ["a -2 n1 berlin 01", "a -2 n2 berlin 02", "a -2 n3 paris 03"])
        // Another process has the name now.
        let later = try await SenderHost("n1", scene.node, now: today)
        first.source.add("a", .day, today - Self.day, [9])
        first.move(to: today + 700_000)
        await first.renew(5)
        #expect(try await stored(scene, today).count == 3)
        #expect(later.node.incarnation > first.node.incarnation)
    }

    @Test("Hours are stored besides when the fleet wants them, and nothing when it wants nothing")
    func setting() async throws {
        let (scene, today) = try await makeFleet()
        let host = try await SenderHost("n1", scene.node, now: today - Self.day)
        await host.renew(3, .off)
        #expect(host.statements.count == 0)
        await host.renew(4, .hours)
        for hour: Int64 in 0..<24 { host.source.add("a", .hour, today - Self.day + hour * Self.hour, [UInt8(hour)]) }
        host.source.add("a", .day, today - Self.day, [99])
        host.move(to: today + 700_000)
        await host.renew(30, .hours)
        #expect(try await stored(scene, today, .hour).count == 24)
        #expect(try await stored(scene, today) == ["a -1 n1 berlin 63"])
        #expect(host.source.reads == (0..<24).map { today - Self.day + $0 * Self.hour } + [today - Self.day])
    }

    @Test("A history that is not complete, or cannot be read, is asked again each minute, and logged once")
    func unreadable() async throws {
        let (scene, today) = try await makeFleet()
        let host = try await SenderHost("n1", scene.node, now: today - Self.day)
        host.source.add("a", .day, today - Self.day, [1])
        await host.renew(2)
        host.move(to: today + 700_000)
        host.source.answer = .incomplete
        await host.renew(3)
        host.source.answer = .unreadable("the file is damaged")
        await host.renew(3)
        #expect(host.source.reads.count == 6)
        #expect(host.messages.events.map(\.facts) == [["error": "the file is damaged"]])
        host.source.answer = nil
        await host.renew(1)
        #expect(try await stored(scene, today) == ["a -1 n1 berlin 01"])
    }

    @Test(
        "Positions that make no sense are corrected: what is no longer kept is not sent, and nothing waits for the far future"
    )
    func positions() async throws {
        let (scene, today) = try await makeFleet()
        for (through, first) in [(Int64.min, 3), (0, 3), (Int64.max, 0), ((today + 9 * Self.day) * 1_000, 0)]
            as [(Int64, Int64)]
        {
            try await scene.admin.execute(
                """
                INSERT INTO rollup_positions VALUES ('n1', 86400000000, \(through)), ('n1', -7, 3), ('n1', 5, 3)
                ON CONFLICT (node, length) DO UPDATE SET through = excluded.through
                """
            )
            let host = try await SenderHost("n1", scene.node, now: today + 700_000)
            await host.renew(6, keeping: .seconds(3 * 86_400))
            #expect(host.source.reads.first == (first == 0 ? nil : today - first * Self.day), "\(through)")
        }
    }

    @Test("Without a partition for the month a node tries again, and leaves a month out that is gone")
    func partitions() async throws {
        let (scene, today) = try await makeFleet()
        let host = try await SenderHost("n1", scene.node, now: today)
        let past = today - 70 * Self.day
        try await scene.admin.execute(
            "INSERT INTO rollup_positions VALUES ('n1', 86400000000, \(past * 1_000))"
        )
        host.source.add("a", .day, past, [1])
        await host.renew(3)
        #expect(host.source.reads.count == 2 && host.messages.count == 0)
        let future = today + 200 * Self.day
        host.source.add("a", .day, future, [2])
        try await scene.admin.execute("UPDATE rollup_positions SET through = \(future * 1_000)")
        host.move(to: future + Self.day + 700_000)
        host.restart()
        await host.renew(4)
        #expect(
            host.messages.events.map(\.text) == [
                "the fleet's database has no partition for what this node stores; trying again each minute"
            ]
        )
        try await scene.admin.execute("SELECT create_rollup_partitions(12)")
        await host.renew(1)
        #expect(try await stored(scene, future) == ["a 0 n1 berlin 02"])
    }
}
