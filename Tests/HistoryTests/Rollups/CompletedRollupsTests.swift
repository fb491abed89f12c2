// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@testable import History

@Suite("Completed hours and days of all targets")
struct CompletedRollupsTests {
    private static let hour: Int64 = 3_600_000
    private static let day: Int64 = 86_400_000
    private static let origin = 20_000 * day

    /// What a file has, by pages.
    private func pages(
        _ file: RollupFile,
        _ resolution: RollupResolution,
        _ start: Int64,
        limit: Int = 1_000,
        bytes: Int = 1 << 20,
        isWanted: (String) -> Bool = { _ in true }
    ) throws -> [[CompletedRollups.Row]]? {
        let reader = try SQLiteRollupReader(SQLiteDatabase(path: file.path, mode: .readOnly))
        var pages: [[CompletedRollups.Row]] = []
        var place: Int64?
        repeat {
            let page = try reader.completed(
                resolution,
                start: start,
                after: place,
                limit: limit,
                bytes: bytes,
                isWanted: isWanted
            )
            guard let page else { return nil }
            pages.append(page.rows)
            place = page.next
        } while place != nil
        return pages
    }

    @Test("They are there when they are made of all their parts, and not before")
    func complete() throws {
        let file = try RollupFile()
        let writer = try file.writer()
        #expect(try pages(file, .day, Self.origin) == [[]])
        for hour: Int64 in 0..<24 {
            try writer.write((0..<60).map { RollupFile.steady("a", at: Self.origin + hour * Self.hour + $0 * 60_000) })
            #expect(try pages(file, .hour, Self.origin + hour * Self.hour) == nil)
            #expect(try pages(file, .day, Self.origin) == nil)
            try writer.fold(now: Self.origin + (hour + 1) * Self.hour)
            let rows = try #require(try pages(file, .hour, Self.origin + hour * Self.hour)?.first)
            #expect(rows.count == 1 && RollupBucket(bytes: rows[0].data, .hour)?.probes == 120)
        }
        let rows = try #require(try pages(file, .day, Self.origin)?.first)
        let day = try #require(RollupBucket(bytes: rows[0].data, .day))
        #expect(rows.map(\.target) == ["a"] && day.probes == 2_880 && day.times[.up] == UInt64(Self.day))
        #expect(try pages(file, .day, Self.origin - Self.day) == [[]])
        // A minute that comes late makes the day another one.
        try writer.write([RollupFile.steady("b", at: Self.origin + 60_000)])
        #expect(try pages(file, .day, Self.origin) == nil)
        #expect(try pages(file, .hour, Self.origin + Self.hour)?.first?.count == 1)
        try writer.fold(now: Self.origin + Self.day)
        #expect(try pages(file, .day, Self.origin)?.first?.map(\.target) == ["a", "b"])
    }

    @Test("Pages of any size have each target once; unwanted ones, damaged rows and connections are left out")
    func pages() throws {
        let file = try RollupFile()
        let writer = try file.writer()
        let targets = (0..<100).map { "t\($0)" }
        var bucket = RollupBucket()
        bucket.add(.up, from: 0, to: 1_000)
        bucket.add(probeOf: 12_000, at: 1_000)
        var generator = SeededGenerator(seed: 3)
        let plain = bucket
        bucket.traffic = RollupBucketTests.traffic(&generator)
        try writer.adopt(targets.map { RollupSegment(target: $0, start: Self.origin, bucket: bucket) }, .days)
        // Targets without a bucket of this day.
        try writer.adopt((0..<50).map { RollupSegment(target: "u\($0)", start: 0, bucket: bucket) }, .days)
        try writer.database.execute("UPDATE rollup_days SET data = x'ff00ff' WHERE target = 7")
        try writer.database.execute("DELETE FROM rollup_unfolded")
        let expected = targets.filter { $0 != "t6" && !$0.hasSuffix("3") }
        for limit in [1, 7, 99, 150, 1_000] {
            for bytes in [1, 30, 1 << 20] {
                let pages = try #require(
                    try self.pages(file, .day, Self.origin, limit: limit, bytes: bytes) { !$0.hasSuffix("3") }
                )
                #expect(pages.flatMap(\.self).map(\.target) == expected)
                for page in pages {
                    #expect(page.count <= limit)
                    #expect(page.count <= 1 || page.reduce(0) { $0 + $1.data.count } <= bytes)
                }
                #expect(pages.flatMap(\.self).allSatisfy { RollupBucket(bytes: $0.data, .day) == plain })
            }
        }
    }

    @Test("Bytes that are no day are refused, and what is read is written again as it was")
    func decoder() {
        var generator = SeededGenerator(seed: 17)
        var readable = 0
        for _ in 0..<20_000 {
            let bucket = RollupBucketTests.random(&generator, to: 86_400_000)
            var bytes = bucket.bytes(.day)
            #expect(RollupBucket(bytes: bytes, .day) == bucket)
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                switch Int.random(in: 0...2, using: &generator) {
                case 0:
                    let place = Int.random(in: bytes.indices, using: &generator)
                    bytes[place] = .random(in: 0...255, using: &generator)
                case 1: bytes.append(.random(in: 0...255, using: &generator))
                default: if bytes.count > 1 { bytes.removeLast() }
                }
            }
            guard let other = RollupBucket(bytes: bytes, .day) else { continue }
            readable += 1
            #expect(RollupBucket(bytes: other.bytes(.day), .day) == other)
            var sum = bucket
            sum.addProbes(of: other)
            #expect(sum.times == bucket.times && sum.traffic == bucket.traffic)
            _ = sum.latencies.quantile(0.99)
        }
        #expect(readable > 1_000)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            if let bucket = RollupBucket(bytes: bytes, .hour) { #expect(bucket.isPossible(.hour)) }
        }
    }
}
