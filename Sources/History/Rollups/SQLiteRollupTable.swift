// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The table of one resolution. Its times are numbers of buckets since 1970, not milliseconds.
struct SQLiteRollupTable: Sendable {
    let resolution: RollupResolution

    static let minutes = SQLiteRollupTable(resolution: .minute)
    static let hours = SQLiteRollupTable(resolution: .hour)
    static let days = SQLiteRollupTable(resolution: .day)

    var name: String {
        switch resolution {
        case .minute: "rollup_minutes"
        case .hour: "rollup_hours"
        case .day: "rollup_days"
        }
    }

    /// What a row takes besides its data, about.
    static let rowCost: Int64 = 16

    var insert: String { "INSERT INTO \(name)(start, target, data) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING" }
    var update: String { "UPDATE \(name) SET data = ?3 WHERE start = ?1 AND target = ?2" }
    var select: String { "SELECT data FROM \(name) WHERE start = ?1 AND target = ?2" }

    /// - Throws: ``HistoryError/Code/corrupt`` when the bytes are no bucket.
    func bucket(_ bytes: [UInt8]?) throws(HistoryError) -> RollupBucket {
        guard let bucket = bytes.flatMap({ RollupBucket(bytes: $0, resolution) }) else {
            throw HistoryError(.corrupt, "a row of \(name) makes no sense")
        }
        return bucket
    }
}
