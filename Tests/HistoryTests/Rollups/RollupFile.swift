// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport

@testable import History

/// A log's file, its writer, and what somebody who adds up everything would say.
struct RollupFile {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "reachd.db")
        try makeAnew()
    }

    func makeAnew() throws {
        let store = try SQLiteEventStore(path: path, schema: .current)
        store.close()
    }

    func writer(_ retention: RollupSettings = RollupSettings()) throws -> SQLiteRollupWriter {
        try SQLiteRollupWriter(path: path, retention: retention)
    }

    func sums(_ target: String, _ ranges: [Range<Int64>], now: Int64, unwritten: [RollupSegment] = []) throws
        -> [RollupBucket]
    {
        let reader = try SQLiteRollupReader(SQLiteDatabase(path: path, mode: .readOnly))
        return try reader.sums(of: target, in: ranges, now: now, unwritten: unwritten)
    }

    func count(_ sql: String) throws -> Int64 {
        try SQLiteDatabase(path: path, mode: .readOnly).integer(sql) ?? -1
    }

    /// A minute of a target that was up and asked twice.
    static func steady(_ target: String, at start: Int64, state: TargetState = .up) -> RollupSegment {
        var bucket = RollupBucket()
        bucket.add(state, from: 0, to: 60_000)
        bucket.add(probeOf: 10_000, at: 60_000)
        bucket.add(probeOf: state == .up ? 20_000 : nil, at: 60_000)
        return RollupSegment(target: target, start: start, bucket: bucket)
    }

    /// What minutes come to that begin in a range.
    static func sum(_ pieces: [RollupSegment], _ target: String, _ range: Range<Int64>) -> RollupBucket {
        var sum = RollupBucket()
        for piece in pieces where piece.target == target && range.contains(piece.start) { sum.absorb(piece.bucket) }
        return sum
    }
}

extension RollupBucket {
    /// All that does not depend on where it begins.
    var content: [UInt64] {
        StateDurations.order.map { times[$0] } + [probes, failures]
            + latencies.bins.flatMap { [UInt64($0.index), $0.count] }
    }
}
