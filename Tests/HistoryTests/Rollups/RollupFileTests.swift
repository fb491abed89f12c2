// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Monitoring
import TestSupport
import Testing

@testable import History

@Suite("Buckets in a file", .timeLimit(.minutes(15)))
struct RollupFileTests {
    private static let day: Int64 = 86_400_000
    private static let hour: Int64 = 3_600_000
    /// A day's first moment.
    private static let origin: Int64 = 20_000 * day

    @Test("Any window equals the sum of its minutes, also after their merge", arguments: 0..<12)
    func windows(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let file = try RollupFile()
        let writer = try file.writer()
        let targets = (0..<3).map { "t\($0)" }
        var pieces: [RollupSegment] = []
        // Two and a half days with holes; the rest of an hour that goes on.
        let end = Self.origin + Self.day * 5 / 2 + 17 * 60_000
        var minute = Self.origin + 5 * Self.hour
        while minute < end {
            for target in targets where Int.random(in: 0..<4, using: &generator) > 0 {
                let bucket = RollupBucketTests.random(&generator)
                if !bucket.isEmpty { pieces.append(RollupSegment(target: target, start: minute, bucket: bucket)) }
            }
            let isHole = Int.random(in: 0..<200, using: &generator) == 0
            minute += isHole ? Int64.random(in: 1...300, using: &generator) * 60_000 : 60_000
        }
        var written = 0
        while written < pieces.count {
            let count = min(Int.random(in: 1...700, using: &generator), pieces.count - written)
            try writer.write(pieces[written..<written + count])
            written += count
            if Int.random(in: 0..<4, using: &generator) == 0 { try writer.fold(now: pieces[written - 1].start) }
        }
        try writer.fold(now: end)
        #expect(try file.count("SELECT count(*) FROM rollup_hours") > 50)
        #expect(try file.count("SELECT count(*) FROM rollup_days") >= 6)
        // The newest minutes are in memory only, or in both.
        for _ in 0..<60 {
            let start = RollupResolution.minute.start(of: .random(in: Self.origin..<end, using: &generator))
            let stop = RollupResolution.minute.start(of: .random(in: start...end, using: &generator))
            let target = targets.randomElement(using: &generator) ?? ""
            let unwritten = pieces.suffix(Int.random(in: 0...9, using: &generator)).filter { $0.target == target }
            let sum = try file.sums(target, [start..<stop], now: end, unwritten: Array(unwritten))
            #expect(sum.map(\.content) == [RollupFile.sum(pieces, target, start..<stop).content])
        }
        #expect(try file.sums("nobody", [Self.origin..<end], now: end) == [RollupBucket()])
    }

    @Test("A minute that is interrupted by a restart is merged into one")
    func resumed() throws {
        let file = try RollupFile()
        var first = RollupBucket()
        first.add(.up, from: 0, to: 20_000)
        var second = RollupBucket()
        second.add(.down, from: 30_000, to: 60_000)
        try file.writer().write([RollupSegment(target: "a", start: Self.origin, bucket: first)])
        try file.writer().write([RollupSegment(target: "a", start: Self.origin, bucket: second)])
        let sum = try file.sums("a", [Self.origin..<Self.origin + 60_000], now: Self.origin + 60_000)[0]
        #expect(sum.times[.up] == 20_000)
        #expect(sum.times[.down] == 30_000)
    }

    @Test("The same time written again counts once, and hours that were made are made anew")
    func again() throws {
        let file = try RollupFile()
        let writer = try file.writer()
        let pieces = (0..<60).map { RollupFile.steady("a", at: Self.origin + $0 * 60_000) }
        try writer.write(pieces[..<30])
        let later = Self.origin + Self.hour
        try writer.fold(now: later)
        #expect(try file.sums("a", [Self.origin..<later], now: later)[0].times[.up] == 1_800_000)
        #expect(try writer.write(pieces[..<30]) == 0)
        #expect(try file.count("SELECT count(*) FROM rollup_unfolded WHERE length = 3600000") == 0)
        // The clock was set back: minutes come whose hour is made.
        try writer.write(pieces)
        #expect(try file.sums("a", [Self.origin..<later], now: later)[0].times[.up] == 3_600_000)
        try writer.fold(now: later)
        let sum = try file.sums("a", [Self.origin..<later], now: later)[0]
        #expect(sum.times[.up] == 3_600_000)
        #expect(sum.probes == 120)
        #expect(try file.count("SELECT count(*) FROM rollup_unfolded WHERE length = 3600000") == 0)
    }

    @Test("An hour stays the same when some of its minutes are deleted")
    func partial() throws {
        let file = try RollupFile()
        let writer = try file.writer()
        try writer.write((0..<60).map { RollupFile.steady("a", at: Self.origin + $0 * 60_000) })
        let later = Self.origin + Self.hour
        try writer.fold(now: later)
        try writer.database.execute("DELETE FROM rollup_minutes WHERE start < \(Self.origin / 60_000 + 50)")
        try writer.database.execute("DELETE FROM rollup_minutes WHERE start = \(Self.origin / 60_000 + 55)")
        try writer.write([RollupFile.steady("a", at: Self.origin + 55 * 60_000)])
        try writer.fold(now: later)
        #expect(try file.sums("a", [Self.origin..<later], now: later)[0].times[.up] == 3_600_000)
    }

    @Test("Old rollups are deleted, their sums stay, and the size is correct")
    func retention() throws {
        let file = try RollupFile()
        let writer = try file.writer(
            RollupSettings(minutes: .seconds(6 * 3_600), hours: .seconds(2 * 86_400), days: .seconds(4 * 86_400))
        )
        var now = Self.origin
        for hour in 0..<24 * 9 {
            now = Self.origin + Int64(hour) * Self.hour
            // Every tenth minute is enough.
            let minutes = stride(from: 0, to: 60, by: 10).map { now + $0 * 60_000 }
            try writer.write(minutes.flatMap { start in ["a", "b"].map { RollupFile.steady($0, at: start) } })
            if hour < 3 { try writer.write(minutes.map { RollupFile.steady("gone", at: $0) }) }
            now += Self.hour
            try writer.fold(now: now)
            while try writer.trim(now: now) {}
        }
        #expect(try file.count("SELECT count(*) FROM rollup_minutes") == 6 * 6 * 2)
        #expect(try file.count("SELECT min(start) FROM rollup_minutes") == (now - 6 * Self.hour) / 60_000)
        #expect(try file.count("SELECT count(*) FROM rollup_hours WHERE target = 1") >= 48)
        #expect(try file.count("SELECT count(*) FROM rollup_hours WHERE target = 1") <= 72)
        #expect(try file.count("SELECT count(*) FROM rollup_days WHERE target = 1") <= 5)
        #expect(try file.count("SELECT count(*) FROM rollup_days WHERE target = 1") >= 4)
        let sums = try file.sums("a", [now - 2 * Self.day..<now], now: now)
        #expect(sums[0].times[.up] == 48 * 6 * 60_000)
        let account = try file.count(
            """
            SELECT (SELECT total(length(data) + 16) FROM rollup_minutes)
            + (SELECT total(length(data) + 16) FROM rollup_hours) + (SELECT total(length(data) + 16) FROM rollup_days)
            """
        )
        #expect(try file.count("SELECT value FROM meta WHERE name = 'rollup_bytes'") == account)
        // Another process knows nobody, and of this one nothing is left.
        let other = try file.writer(RollupSettings(minutes: .seconds(6 * 3_600), days: .seconds(4 * 86_400)))
        while try other.trim(now: now + Self.day) {}
        #expect(try file.count("SELECT count(*) FROM rollup_targets WHERE id = 'gone'") == 0)
        #expect(try file.count("SELECT count(*) FROM rollup_targets") == 2)
    }

    @Test("Beyond the size limit minutes are deleted first, then the oldest hours, then the oldest days")
    func room() throws {
        let file = try RollupFile()
        let generous = try file.writer()
        let start = RollupResolution.day.start(of: Self.origin)
        for hour in 0..<24 * 5 {
            let minutes = stride(from: 0, to: 60, by: 5).map { start + Int64(hour) * Self.hour + $0 * 60_000 }
            try generous.write(minutes.map { RollupFile.steady("a", at: $0) })
        }
        let now = start + 5 * Self.day + Self.hour
        try generous.fold(now: now)
        #expect(try !generous.trim(now: start + Self.hour))
        let hours = try file.count("SELECT total(length(data) + 16) FROM rollup_hours")
        let days = try file.count("SELECT total(length(data) + 16) FROM rollup_days")
        // Room for the days and some of the hours.
        let tight = try file.writer(RollupSettings(bytes: UInt64(days + hours * 5 / 12)))
        // A day's hours, or a day, with each minute that passes.
        for _ in 0..<5 { while try tight.trim(now: now) {} }
        #expect(try file.count("SELECT count(*) FROM rollup_minutes") == 0)
        #expect(try file.count("SELECT count(*) FROM rollup_hours") == 48)
        #expect(try file.count("SELECT min(start) FROM rollup_hours") == start / Self.hour + 72)
        #expect(try file.count("SELECT count(*) FROM rollup_days") == 5)
        #expect(tight.size <= UInt64(days + hours * 5 / 12))
        let sum = try file.sums("a", [start..<start + 5 * Self.day], now: now)[0]
        #expect(sum.times[.up] == 5 * 24 * 12 * 60_000)
        // Next to no room, and still no end of it.
        let none = try file.writer(RollupSettings(bytes: 1))
        for _ in 0..<20 { while try none.trim(now: now) {} }
        #expect(try file.count("SELECT count(*) FROM rollup_hours") == 0 && none.size == 0)
    }

    @Test("A file of version 1 keeps its events and takes minutes")
    func earlier() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "old.db")
        let old = try SQLiteEventStore(
            path: path,
            schema: SQLiteSchema(migrations: [SQLiteSchema.current.migrations[0]])
        )
        let event = RecordedEvent(sequence: 7, at: Timestamp(milliseconds: 1), type: .config, data: Array("{}".utf8))
        try old.append([event])
        old.close()
        #expect(throws: HistoryError.self) { _ = try SQLiteRollupWriter(path: path, retention: RollupSettings()) }
        let new = try SQLiteEventStore(path: path, schema: .current)
        #expect(try new.events(after: 0, limit: 9) == [event])
        try SQLiteRollupWriter(path: path, retention: RollupSettings()).write([RollupFile.steady("a", at: Self.origin)])
        new.close()
    }

    @Test("Minutes that are in no hour yet are not removed")
    func unfolded() throws {
        let file = try RollupFile()
        let writer = try file.writer()
        try writer.write([RollupFile.steady("a", at: Self.origin)])
        #expect(try !writer.trim(now: Self.origin + 90 * Self.day))
        #expect(try file.count("SELECT count(*) FROM rollup_minutes") == 1)
        try writer.fold(now: Self.origin + 90 * Self.day)
        while try writer.trim(now: Self.origin + 90 * Self.day) {}
        #expect(try file.count("SELECT count(*) FROM rollup_minutes") == 0)
        #expect(try file.count("SELECT count(*) FROM rollup_days") == 1)
    }

    @Test("A file that was removed, that is none or is damaged is an answer, and a batch is whole or not there")
    func failures() throws {
        let file = try RollupFile()
        let writer = try file.writer()
        try writer.write([RollupFile.steady("a", at: Self.origin)])
        try writer.database.execute("UPDATE rollup_minutes SET data = x'ff'")
        let damaged = #expect(throws: HistoryError.self) {
            try writer.write([
                RollupFile.steady("b", at: Self.origin), RollupFile.steady("a", at: Self.origin),
            ])
        }
        #expect(damaged?.code == .corrupt)
        #expect(try file.count("SELECT count(*) FROM rollup_targets") == 1)
        try writer.write([RollupFile.steady("b", at: Self.origin)])
        unsafe unlink(file.path)
        let removed = #expect(throws: HistoryError.self) {
            try writer.write([RollupFile.steady("b", at: Self.origin + 60_000)])
        }
        #expect(removed?.code == .removed)
        #expect(throws: HistoryError.self) { _ = try file.writer() }
    }
}
