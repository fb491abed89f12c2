// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import History

/// What a fleet's nodes know together of a target's probes in ranges of time.
///
/// A stored bucket counts in a range that it ends in, unless it is longer than the range: in all that are aligned, as the slices of a
/// timeline, it is then inside, and a window's first bucket counts wholly. Of one node's hours and its day that are the same time, the day
/// counts where it is wholly inside, and the hours elsewhere.
struct FleetProbeSums {
    /// One node's buckets of one day.
    private struct Key: Hashable {
        let location: String
        let node: String
        let day: Int64
    }

    private struct Day {
        var whole: RollupBucket?
        var hours: [(end: Int64, bucket: RollupBucket)] = []
    }

    private var days: [Key: Day] = [:]
    /// Rows that another program wrote, which are no buckets.
    private(set) var skipped: Int

    init(_ rollups: TargetRollups) {
        skipped = rollups.skipped
        for row in rollups.rows {
            guard let bucket = Self.bucket(row) else {
                skipped += 1
                continue
            }
            let key = Key(location: row.location, node: row.node, day: RollupLength.day.start(of: row.start))
            switch row.length {
            case .day: days[key, default: Day()].whole = bucket
            case .hour: days[key, default: Day()].hours.append((row.start + row.length.milliseconds, bucket))
            }
        }
    }

    private static func bucket(_ row: TargetRollups.Row) -> RollupBucket? {
        let resolution: RollupResolution = row.length == .day ? .day : .hour
        // No node probes a target more often than each millisecond.
        guard let bucket = RollupBucket(bytes: row.data, resolution), bucket.probes <= UInt64(resolution.length)
        else { return nil }
        return bucket
    }

    /// Adds the probes in a range, in milliseconds since 1970, to a bucket.
    func add(to bucket: inout RollupBucket, in range: Range<Int64>) {
        let length = range.upperBound - range.lowerBound
        func ends(_ end: Int64, _ part: RollupLength) -> Bool {
            end > range.lowerBound && end <= range.upperBound && part.milliseconds <= length
        }
        for (key, day) in days {
            let end = key.day + RollupLength.day.milliseconds
            if let whole = day.whole, ends(end, .day), key.day >= range.lowerBound || day.hours.isEmpty {
                bucket.addProbes(of: whole)
            } else {
                for hour in day.hours where ends(hour.end, .hour) { bucket.addProbes(of: hour.bucket) }
            }
        }
    }
}
