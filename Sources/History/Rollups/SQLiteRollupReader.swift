// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Adds up what a file says of one target, while others write. Used by one thread at a time.
struct SQLiteRollupReader {
    private let database: SQLiteDatabase
    private let minutes: SQLiteStatement
    private let hours: SQLiteStatement
    private let days: SQLiteStatement

    init(_ database: SQLiteDatabase) throws(HistoryError) {
        self.database = database
        minutes = try database.prepare(SQLiteRollupTable.minutes.select, isKept: true)
        hours = try database.prepare(SQLiteRollupTable.hours.select, isKept: true)
        days = try database.prepare(SQLiteRollupTable.days.select, isKept: true)
    }

    /// What a target's time between two moments comes to.
    ///
    /// - Parameters:
    ///   - target: the target's id.
    ///   - ranges: in milliseconds since 1970; each begins and ends with a minute, and begins with an hour or a day where minutes
    ///     or hours are not kept any more.
    ///   - now: the time.
    ///   - unwritten: minutes that may not be in the file yet.
    func sums(
        of target: String,
        in ranges: [Range<Int64>],
        now: Int64,
        unwritten: [RollupSegment]
    ) throws(HistoryError) -> [RollupBucket] {
        // One moment of the file for all of it: a minute must not move into its hour in between.
        try database.execute("BEGIN")
        defer { try? database.execute("COMMIT") }
        var summer = WindowSum(reader: self, target: try number(of: target), now: now)
        for piece in unwritten {
            let minute = RollupResolution.minute.number(of: piece.start)
            summer.unwritten[minute] = summer.unwritten[minute]?.reconciled(with: piece.bucket) ?? piece.bucket
            // Its hour is not made, or made without it.
            summer.unfoldedHours.insert(RollupResolution.hour.number(of: piece.start))
        }
        let rows = try database.prepare("SELECT length, start FROM rollup_unfolded")
        while try rows.step() {
            guard let length = rows.integer(0), let start = rows.integer(1) else { continue }
            if length == RollupResolution.hour.length { summer.unfoldedHours.insert(start) }
            if length == RollupResolution.day.length { summer.unfoldedDays.insert(start) }
        }
        var sums: [RollupBucket] = []
        for range in ranges { sums.append(try summer.sum(range)) }
        return sums
    }

    /// The buckets of all targets that begin at a moment; nil until they are made of all their parts.
    ///
    /// - Parameters:
    ///   - resolution: an hour or a day.
    ///   - start: in milliseconds since 1970.
    ///   - place: ``CompletedRollups/next`` of the page before; nil for the first page.
    ///   - limit: how many targets to look at; above 0.
    ///   - bytes: how many bytes of data to return; one bucket is returned even when it is larger.
    ///   - isWanted: whether a target's bucket is returned.
    func completed(
        _ resolution: RollupResolution,
        start: Int64,
        after place: Int64?,
        limit: Int,
        bytes: Int,
        isWanted: (String) -> Bool
    ) throws(HistoryError) -> CompletedRollups? {
        let unfolded = try database.prepare(
            "SELECT 1 FROM rollup_unfolded WHERE start BETWEEN ?1 AND ?2 AND length = ?3"
        )
        let number = resolution.number(of: start)
        for part in [RollupResolution.hour, .day] where part.length <= resolution.length {
            try unfolded.bind(1, number * (resolution.length / part.length))
            try unfolded.bind(2, (number + 1) * (resolution.length / part.length) - 1)
            try unfolded.bind(3, part.length)
            defer { unfolded.reset() }
            if try unfolded.step() { return nil }
        }
        let select = try database.prepare(
            """
            SELECT t.number, t.id, r.data
            FROM (SELECT number, id FROM rollup_targets WHERE number > ?1 ORDER BY number LIMIT ?2) t
            LEFT JOIN \(SQLiteRollupTable(resolution: resolution).name) r ON r.target = t.number AND r.start = ?3
            ORDER BY t.number
            """
        )
        try select.bind(1, place ?? 0)
        try select.bind(2, Int64(limit))
        try select.bind(3, number)
        var page = CompletedRollups()
        var (looked, size) = (0, 0)
        while try select.step() {
            looked += 1
            let target = select.integer(0) ?? .max
            // A row that is damaged is not worth the others.
            if let id = select.text(1), let data = select.bytes(2), isWanted(id),
                let bucket = RollupBucket(bytes: data, resolution)?.withoutTraffic
            {
                let data = bucket.bytes(resolution)
                guard size == 0 || size + data.count <= bytes else { return page }
                size += data.count
                page.rows.append(CompletedRollups.Row(target: id, data: data))
            }
            page.next = target
        }
        if looked < limit { page.next = nil }
        return page
    }

    private func number(of target: String) throws(HistoryError) -> Int64? {
        let select = try database.prepare("SELECT number FROM rollup_targets WHERE id = ?1")
        try select.bind(1, target)
        return try select.step() ? select.integer(0) : nil
    }

    fileprivate func bucket(_ table: SQLiteRollupTable, _ start: Int64, _ target: Int64?) throws(HistoryError)
        -> RollupBucket?
    {
        guard let target else { return nil }
        let select =
            switch table.resolution {
            case .minute: minutes
            case .hour: hours
            case .day: days
            }
        try select.bind(1, start)
        try select.bind(2, target)
        defer { select.reset() }
        return try select.step() ? try table.bucket(select.bytes(0)) : nil
    }

    /// One target's addition: days where they are made and wholly inside, else hours, else minutes.
    private struct WindowSum {
        let reader: SQLiteRollupReader
        let target: Int64?
        let now: Int64
        var unwritten: [Int64: RollupBucket] = [:]
        var unfoldedHours: Set<Int64> = []
        var unfoldedDays: Set<Int64> = []

        func sum(_ range: Range<Int64>) throws(HistoryError) -> RollupBucket {
            var sum = RollupBucket()
            var moment = range.lowerBound
            while moment < range.upperBound {
                let resolution = largest(at: moment, in: range)
                let number = resolution.number(of: moment)
                var bucket = try reader.bucket(SQLiteRollupTable(resolution: resolution), number, target)
                if resolution == .minute, let new = unwritten[number] { bucket = bucket?.reconciled(with: new) ?? new }
                if let bucket { sum.absorb(bucket, at: moment - range.lowerBound) }
                moment += resolution.length
            }
            return sum
        }

        private func largest(at moment: Int64, in range: Range<Int64>) -> RollupResolution {
            let isDay = has(.day, at: moment, in: range)
            if isDay { return .day }
            return has(.hour, at: moment, in: range) ? .hour : .minute
        }

        /// Whether a bucket begins here, is inside, is over, and has all its parts.
        private func has(_ resolution: RollupResolution, at moment: Int64, in range: Range<Int64>) -> Bool {
            let number = resolution.number(of: moment)
            let end = moment + resolution.length
            guard number * resolution.length == moment, end <= range.upperBound, end <= now else { return false }
            guard resolution == .day else { return !unfoldedHours.contains(number) }
            return !unfoldedDays.contains(number)
                && !unfoldedHours.contains { $0 >= number * 24 && $0 < number * 24 + 24 }
        }
    }
}

/// Some targets' buckets of one hour or day, without the connections of this machine.
package struct CompletedRollups: Sendable {
    /// A bucket.
    package struct Row: Sendable, Hashable {
        /// The target's id.
        package let target: String
        /// The bucket's bytes.
        package let data: [UInt8]
    }

    /// The buckets.
    package internal(set) var rows: [Row] = []
    /// Where the next page begins; nil after the last one.
    package internal(set) var next: Int64?
}

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
            throw HistoryError(.corrupt, "a row of \(name) is invalid")
        }
        return bucket
    }
}
