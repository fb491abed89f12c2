// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring
import TestSupport
import Testing

@testable import History
@testable import ReachAPI

@Suite("What a fleet's nodes know together of a target's probes")
struct FleetProbeSumsTests {
    private static let day = RollupLength.day.milliseconds
    private static let hour = RollupLength.hour.milliseconds
    private static let today: Int64 = 20_000 * day

    /// A bucket of some probes that took as long.
    private static func bucket(_ probes: Int, _ milliseconds: UInt64, failures: Int = 0) -> RollupBucket {
        var bucket = RollupBucket()
        for _ in 0..<probes { bucket.add(probeOf: milliseconds * 1_000, at: 1_000) }
        for _ in 0..<failures { bucket.add(probeOf: nil, at: 1_000) }
        return bucket
    }

    private static func row(
        _ start: Int64,
        _ length: RollupLength = .day,
        _ bucket: RollupBucket = bucket(1, 1),
        node: String = "n1",
        location: String = "berlin"
    ) -> TargetRollups.Row {
        let bytes = bucket.bytes(length == .day ? .day : .hour)
        return TargetRollups.Row(location: location, node: node, length: length, start: start, data: bytes)
    }

    private func sum(_ rows: [TargetRollups.Row], _ range: Range<Int64>) -> RollupBucket {
        var bucket = RollupBucket()
        FleetProbeSums(TargetRollups(rows: rows)).add(to: &bucket, in: range)
        return bucket
    }

    @Test("Locations and the nodes of a day with a takeover are added; their times are not")
    func merging() {
        let rows = [
            Self.row(Self.today - Self.day, .day, Self.bucket(60, 10)),
            Self.row(Self.today - Self.day, .day, Self.bucket(30, 20, failures: 5), node: "n2"),
            Self.row(Self.today - Self.day, .day, Self.bucket(10, 200), location: "paris"),
        ]
        let sum = sum(rows, Self.today - Self.day..<Self.today)
        #expect(sum.probes == 105 && sum.failures == 5 && sum.latencies.count == 100)
        #expect(sum.times.observed == 0)
        var all = LatencySketch()
        for (count, time) in [(60, 10_000), (30, 20_000), (10, 200_000)] as [(Int, UInt64)] {
            for _ in 0..<count { all.add(microseconds: time) }
        }
        for share in [0.5, 0.9, 0.95, 0.99] { #expect(sum.latencies.quantile(share) == all.quantile(share)) }
    }

    @Test("Windows have the days that end in them; a shorter one none, and the day that is not over is absent")
    func days() {
        let rows = (-3...10).map { Self.row(Self.today - $0 * Self.day) }
        let now = Self.today + 5 * Self.hour
        // The database has no day that is not over; a row that says so is not counted.
        #expect(sum(rows, now - 7 * Self.day..<now).probes == 7)
        #expect(sum(rows, now - Self.day..<now).probes == 1)
        #expect(sum(rows, now - Self.hour..<now).probes == 0)
        #expect(sum(rows, Self.today..<Self.today + Self.day).probes == 1)
        #expect(sum(rows, Self.today..<Self.today).probes == 0)
        for hour: Int64 in 0..<24 {
            let start = Self.today - Self.day + hour * Self.hour
            #expect(sum(rows, start..<start + Self.hour).probes == 0)
        }
    }

    @Test("With hours, slices have their own, windows those of days that are not wholly inside; nothing counts twice")
    func hours() {
        let days = (1...10).map { Self.row(Self.today - $0 * Self.day, .day, Self.bucket(24, 1)) }
        let hours = (-4...240).map { Self.row(Self.today - $0 * Self.hour, .hour) }
        let now = Self.today + 5 * Self.hour
        for length: Int64 in [1, 24, 7 * 24] {
            #expect(sum(days + hours, now - length * Self.hour..<now).probes == UInt64(length))
            // In the middle of an hour there is one that ends in the window.
            let middle = now + Self.hour / 2
            #expect(sum(days + hours, middle - length * Self.hour..<middle).probes == UInt64(length))
        }
        // Yesterday's day is not stored yet.
        #expect(sum(Array(days.dropFirst()) + hours, now - 7 * Self.day..<now).probes == 7 * 24)
        for start in stride(from: Self.today - 4 * Self.day, to: Self.today, by: 6 * Int(Self.hour)) {
            #expect(sum(days + hours, start..<start + 6 * Self.hour).probes == 6)
        }
    }

    @Test("Slices of a day sum up to the days, whatever nodes stored")
    func slices() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            var rows: [TargetRollups.Row] = []
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let day = Self.today - Int64.random(in: 1...30, using: &generator) * Self.day
                let bucket = Self.bucket(
                    .random(in: 0...5, using: &generator),
                    .random(in: 1...500, using: &generator),
                    failures: .random(in: 0...2, using: &generator)
                )
                let node = "n\(Int.random(in: 0...3, using: &generator))"
                guard !rows.contains(where: { $0.start == day && $0.node == node }) else { continue }
                rows.append(Self.row(day, .day, bucket, node: node))
            }
            let month = sum(rows, Self.today - 30 * Self.day..<Self.today)
            var slices = RollupBucket()
            for day: Int64 in 1...30 {
                let start = Self.today - day * Self.day
                slices.addProbes(of: sum(rows, start..<start + Self.day))
            }
            #expect(slices == month)
            #expect(month.probes == rows.reduce(0) { $0 + (RollupBucket(bytes: $1.data, .day)?.probes ?? 0) })
        }
    }

    @Test("Data that is no bucket, or that has more probes than milliseconds, is skipped and counted")
    func hostile() {
        var absurd = RollupBucket()
        (absurd.probes, absurd.failures) = (.max, .max)
        let data: [[UInt8]] = [[], [0xff], [UInt8](repeating: 0x80, count: 16_384), absurd.bytes(.day)]
        let rows = data.map {
            TargetRollups.Row(location: "berlin", node: "n1", length: .day, start: Self.today - Self.day, data: $0)
        }
        let sums = FleetProbeSums(TargetRollups(rows: rows + [Self.row(Self.today - 2 * Self.day)], skipped: 3))
        #expect(sums.skipped == 7)
        var bucket = RollupBucket()
        sums.add(to: &bucket, in: Self.today - 7 * Self.day..<Self.today)
        #expect(bucket.probes == 1)
        // Beginnings that no calendar has.
        for start in [Int64.min / 1_000, -Self.day, 0, Int64.max / 1_000 / Self.day * Self.day] {
            #expect(sum([Self.row(start)], Self.today - Self.day..<Self.today).probes == 0)
        }
    }
}
