// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import LinuxIO
import Monitoring
import MonitoringTestSupport
import TestSupport
import Testing

@testable import History
@testable import ReachAPI

/// A log file that somebody edited, or that was damaged without SQLite noticing: set aside or refused, and never the end of the
/// process.
@Suite("A log file with values that reachd never wrote")
struct DamagedLogTests {
    private static let values = [
        "-9223372036854775808", "-1", "0", "1", "7", "2147483648", "4611686018427387904", "9223372036854775806",
        "9223372036854775807", "1.5e300", "'x'", "'9223372036854775808'", "''", "x'ff00c328'", "'{\"a\":\n1}'",
        "'\u{2028}'", "'state'", "'down'", "'ffffffff-1'", "'1-18446744073709551615'", "NULL",
    ]

    private static let columns = [
        "events": [
            "sequence", "at", "type", "target", "\"group\"", "tags", "status_changed", "from_state", "to_state",
            "reason", "cause", "data", "supplement",
        ],
        "gaps": ["first", "last", "began", "ended", "reason"],
        "meta": ["name", "value"],
        "rollup_targets": ["number", "id", "added"],
        "rollup_minutes": ["start", "target", "data"],
        "rollup_hours": ["start", "target", "data"],
        "rollup_days": ["start", "target", "data"],
        "rollup_unfolded": ["length", "start"],
    ]

    /// A file with something in each table.
    private static func template(_ folder: TemporaryFolder) throws -> String {
        let path = folder.path(of: "template.db")
        let store = try SQLiteEventStore(path: path, schema: .current)
        let fixture = Fixture()
        fixture.registry.apply(targets: [try .probed("web"), .address("plain")])
        for round in 0..<4 {
            fixture.emit("web", round % 2 == 0 ? .up() : .down())
            if round % 2 == 0 { fixture.record("web", .failure()) }
            fixture.clock.advance(milliseconds: 1_000)
        }
        try store.append(fixture.registry.recordedEvents(after: 0, limit: 1_000).events)
        try store.setMarks(["receiver": "3 5-6"])
        store.close()
        let now = fixture.clock.now().milliseconds
        let writer = try SQLiteRollupWriter(path: path, retention: RollupSettings())
        var bucket = RollupBucket()
        bucket.add(.up, from: 0, to: 60_000)
        bucket.add(probeOf: 12_345, at: 60_000)
        for minute in 0..<4 {
            let start = RollupResolution.minute.start(of: now - 172_800_000) + Int64(minute) * 60_000
            try writer.write([RollupSegment(target: "web", start: start, bucket: bucket)])
        }
        try writer.fold(now: now)
        try writer.write([
            RollupSegment(target: "web", start: RollupResolution.minute.start(of: now - 60_000), bucket: bucket)
        ])
        try writer.database.execute("INSERT INTO gaps VALUES(100, 110, 0, 1, 'full')")
        return path
    }

    private struct NoRollups: RollupSource {
        var settings: RollupSettings { RollupSettings() }
        var status: RollupStatus { RollupStatus() }
        func unwritten(_ ordinal: UInt64, target: String) -> [RollupSegment] { [] }
    }

    /// Does with the file what the service does: opens it, goes on with it, answers from it, trims it.
    private static func use(_ path: String) {
        let clock = FakeClock()
        guard let opened = try? SQLiteEventFile(path: path).open(now: clock.now()) else { return }
        let store = opened.store
        let registry = Registry(clock: clock, epoch: "abcd")
        let archive = StoreArchive(store: store, failed: { _ in })
        _ = registry.continueLog(epoch: store.epoch, head: store.head, archive: archive)
        registry.apply(targets: [.address("web")])
        let handler = RequestHandler(
            registry: registry,
            service: ServiceInformation(version: "0", startedAt: clock.now(), build: [:]),
            past: HistoryReader(path: path, rollups: NoRollups()),
            clock: clock
        )
        let sequences: [UInt64] = [0, 1, 3, store.head, .max - 1, .max]
        for path in sequences.map({ "/events?since=\(store.epoch)-\($0)" }) + [
            "/events?snapshot=1", "/events?key=path,status&since=\(store.epoch)-0", "/status", "/metrics",
            "/targets/web/history", "/targets/web/history?limit=1&from=2020-01-01", "/targets/web/uptime",
            "/targets/web/timeline?window=1h,24h,7d,30d", "/targets/web/badge.svg?type=uptime",
        ] {
            let parts = path.split(separator: "?", maxSplits: 1)
            let response = handler.respond(
                to: HTTPRequest(method: "GET", path: String(parts[0]), query: parts.count == 2 ? String(parts[1]) : nil)
            )
            guard case .stream(let source) = response.body else { continue }
            for _ in 0..<20 {
                guard case .bytes(let bytes) = source.next() else { break }
                let text = String(decoding: bytes, as: UTF8.self)
                // A line's end inside of an event's data would begin what looks like another event.
                #expect(!text.contains("\n1}"), "\(path)")
            }
            source.didEnd()
        }
        _ = try? store.events(after: 0, limit: 100)
        _ = try? store.gaps()
        _ = try? store.marks()
        _ = try? store.lastProblems(through: .max)
        _ = try? store.oldestTime()
        try? store.append([.init(sequence: store.head + 1, at: clock.now(), type: .config, data: Array("{}".utf8))])
        for limit in [RetentionLimit(age: .seconds(1), bytes: 1), RetentionLimit(age: .seconds(Int64.max / 2))] {
            _ = try? store.trim(to: limit, now: clock.now())
        }
        if let writer = try? SQLiteRollupWriter(path: path, retention: RollupSettings()) {
            _ = writer.size
            try? writer.fold(now: clock.now().milliseconds)
            for _ in 0..<4 { _ = try? writer.trim(now: clock.now().milliseconds + 86_400_000) }
        }
        store.close()
    }

    @Test("reachd continues after damage to one or several values of any row", arguments: 0..<8)
    func fuzz(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let template = try Self.template(folder)
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let path = folder.path(of: "log-\(round).db")
            try Command.run(["cp", template, path])
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let table = try #require(Self.columns.keys.sorted().randomElement(using: &random))
                let column = try #require(Self.columns[table]?.randomElement(using: &random))
                let value = try #require(Self.values.randomElement(using: &random))
                let rows = ["1", "rowid = 1", "rowid % 2 = 0"].randomElement(using: &random) ?? "1"
                let hasRowid = ["events", "gaps", "rollup_targets"].contains(table)
                let condition = hasRowid ? rows : "1"
                let database = try SQLiteDatabase(path: path, mode: .readWrite)
                // What the schema does not let in is no case.
                try? database.execute("UPDATE OR REPLACE \(table) SET \(column) = \(value) WHERE \(condition)")
            }
            Self.use(path)
        }
    }

    @Test(
        "After an impossible event number the file is set aside and a new one begins",
        arguments: [
            "UPDATE events SET sequence = -sequence", "UPDATE events SET sequence = 0 WHERE sequence = 1",
            "UPDATE events SET sequence = 9223372036854775807 WHERE sequence = 1",
            "INSERT OR REPLACE INTO meta VALUES('head', -1)", "INSERT OR REPLACE INTO meta VALUES('head', 'x')",
            "INSERT OR REPLACE INTO meta VALUES('head', 9223372036854775807)",
            "INSERT OR REPLACE INTO meta VALUES('rollup_bytes', -9223372036854775808)",
            "UPDATE meta SET value = 'no epoch' WHERE name = 'epoch'", "UPDATE gaps SET first = 0",
            "UPDATE gaps SET last = 1", "UPDATE rollup_targets SET number = 9223372036854775807",
            "UPDATE OR REPLACE rollup_minutes SET start = 9223372036854775807",
            "UPDATE OR REPLACE rollup_unfolded SET start = -9223372036854775808",
        ]
    )
    func setAside(sql: String) throws {
        let folder = try TemporaryFolder()
        let path = try Self.template(folder)
        do { try SQLiteDatabase(path: path, mode: .readWrite).execute(sql) }
        let opened = try SQLiteEventFile(path: path).open(now: FakeClock().now())
        #expect(opened.setAside != nil)
        #expect(opened.store.head == 0 && opened.store.oldest == 1)
        opened.store.close()
        Self.use(path)
    }
}
