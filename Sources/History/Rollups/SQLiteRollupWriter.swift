// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Puts buckets into a log's file, through a connection of its own: events are written by another thread meanwhile, and one
/// transaction takes a few milliseconds at most.
///
/// Minutes are sorted by time, so that a minute of all targets is one place of the file; hours and days by target, so that a
/// month of one target is. What is not made into hours, or into days, is noted in the same transaction that writes it, and hours and days
/// are made anew from all their parts: a process that ends in between has lost nothing and counts nothing twice.
final class SQLiteRollupWriter {
    /// Targets whose buckets are put together at once.
    private static let foldStep: Int64 = 128

    let database: SQLiteDatabase
    private let place: FilePosition
    private let retention: RollupSettings
    private var statements: [String: SQLiteStatement] = [:]
    private var numbers: [String: Int64] = [:]
    private var bytes: Int64

    /// Opens a file that is there and of this version.
    ///
    /// - Throws: ``HistoryError``; ``HistoryError/Code/cannotOpen`` also for a file that is not of this version yet.
    init(path: String, retention: RollupSettings) throws(HistoryError) {
        database = try SQLiteDatabase(path: path, mode: .readWrite, patience: 5000)
        self.retention = retention
        guard try database.integer("PRAGMA application_id") == SQLiteSchema.applicationID,
            try database.integer("PRAGMA user_version") == SQLiteSchema.current.version
        else { throw HistoryError(.cannotOpen, "\(path) is not an event log of this version of reachd") }
        try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1024")
        place = FilePosition(path)
        bytes = try database.integer("SELECT value FROM meta WHERE name = 'rollup_bytes'") ?? 0
    }

    /// How much room everything takes, in bytes.
    var size: UInt64 { UInt64(max(bytes, 0)) }

    // MARK: Writing

    /// Writes minutes; one that already exists becomes what both say. In one transaction.
    ///
    /// - Returns: How many of them changed something.
    @discardableResult
    func write(_ pieces: some Collection<RollupSegment>) throws(HistoryError) -> Int {
        try write(pieces, .minutes) { known, new in known.reconciled(with: new) }
    }

    /// Writes hours or days as they are; one that already exists stays unless the new one says more.
    @discardableResult
    func adopt(_ pieces: some Collection<RollupSegment>, _ table: SQLiteRollupTable) throws(HistoryError) -> Int {
        try write(pieces, table) { known, new in new.knowsMore(than: known) ? new : known }
    }

    private func write(
        _ pieces: some Collection<RollupSegment>,
        _ table: SQLiteRollupTable,
        _ join: (RollupBucket, RollupBucket) -> RollupBucket
    ) throws(HistoryError) -> Int {
        guard !pieces.isEmpty else { return 0 }
        return try change { () throws(HistoryError) in
            var written = 0
            for piece in pieces {
                let start = table.resolution.number(of: piece.start)
                let target = try number(of: piece.target, at: piece.start)
                guard try put(piece.bucket, table, start, target, join) else { continue }
                written += 1
                if table.resolution != .day { try note(table.resolution, piece.start) }
            }
            return written
        }
    }

    /// Runs a body as one transaction, and keeps the account of how much room everything takes.
    private func change<Value>(_ body: () throws(HistoryError) -> Value) throws(HistoryError) -> Value {
        try place.check()
        let (before, known) = (bytes, numbers)
        do throws(HistoryError) {
            return try database.transaction { () throws(HistoryError) in
                let value = try body()
                if bytes != before {
                    let set = try statement("INSERT OR REPLACE INTO meta VALUES('rollup_bytes', ?1)")
                    try set.bind(1, max(bytes, 0))
                    try set.run()
                }
                return value
            }
        } catch {
            (bytes, numbers) = (before, known)
            throw error
        }
    }

    /// - Returns: Whether the row is another now.
    private func put(
        _ bucket: RollupBucket,
        _ table: SQLiteRollupTable,
        _ start: Int64,
        _ target: Int64,
        _ join: (RollupBucket, RollupBucket) -> RollupBucket
    ) throws(HistoryError) -> Bool {
        let data = bucket.bytes(table.resolution)
        try set(data, table.insert, start, target)
        if database.changes > 0 {
            bytes += Int64(data.count) + SQLiteRollupTable.rowCost
            return true
        }
        let select = try statement(table.select)
        try select.bind(1, start)
        try select.bind(2, target)
        guard try select.step() else { return false }
        let old = select.bytes(0)
        select.reset()
        let joined = join(try table.bucket(old), bucket).bytes(table.resolution)
        guard joined != old else { return false }
        try set(joined, table.update, start, target)
        bytes += Int64(joined.count - (old?.count ?? 0))
        return true
    }

    private func set(_ data: [UInt8], _ sql: String, _ start: Int64, _ target: Int64) throws(HistoryError) {
        let statement = try statement(sql)
        try statement.bind(1, start)
        try statement.bind(2, target)
        try statement.bind(3, bytes: data)
        try statement.run()
    }

    private func number(of target: String, at moment: Int64) throws(HistoryError) -> Int64 {
        if let known = numbers[target] { return known }
        let insert = try statement("INSERT INTO rollup_targets(id, added) VALUES(?1, ?2) ON CONFLICT DO NOTHING")
        try insert.bind(1, target)
        try insert.bind(2, RollupResolution.day.number(of: moment))
        try insert.run()
        let select = try statement("SELECT number FROM rollup_targets WHERE id = ?1")
        try select.bind(1, target)
        defer { select.reset() }
        guard try select.step(), let number = select.integer(0) else {
            throw HistoryError(.corrupt, "a target has no number")
        }
        numbers[target] = number
        return number
    }

    /// Notes that what a bucket is a part of has to be made anew.
    private func note(_ resolution: RollupResolution, _ moment: Int64) throws(HistoryError) {
        let larger: RollupResolution = resolution == .minute ? .hour : .day
        let note = try statement("INSERT OR IGNORE INTO rollup_unfolded VALUES(?1, ?2)")
        try note.bind(1, larger.length)
        try note.bind(2, larger.number(of: moment))
        try note.run()
    }

    private func statement(_ sql: String) throws(HistoryError) -> SQLiteStatement {
        if let known = statements[sql] { return known }
        let made = try database.prepare(sql, isKept: true)
        statements[sql] = made
        return made
    }

    // MARK: Folding

    /// Makes hours of minutes and days of hours, as far as they are over.
    ///
    /// - Parameter now: the time, in milliseconds since 1970.
    func fold(now: Int64) throws(HistoryError) {
        for (resolution, parts) in [(RollupResolution.hour, SQLiteRollupTable.minutes), (.day, .hours)] {
            for number in try unfolded(resolution) where (number + 1) * resolution.length <= now {
                // A day is made once all its hours are.
                if resolution == .day, try hasUnfoldedHours(day: number) { continue }
                try fold(number, resolution, from: parts)
            }
        }
    }

    private func unfolded(_ resolution: RollupResolution) throws(HistoryError) -> [Int64] {
        let select = try statement("SELECT start FROM rollup_unfolded WHERE length = ?1 ORDER BY start")
        try select.bind(1, resolution.length)
        defer { select.reset() }
        var numbers: [Int64] = []
        while try select.step() { numbers.append(select.integer(0) ?? 0) }
        return numbers
    }

    private func hasUnfoldedHours(day: Int64) throws(HistoryError) -> Bool {
        let select = try statement(
            "SELECT 1 FROM rollup_unfolded WHERE length = \(RollupResolution.hour.length) AND start >= ?1 AND start < ?2"
        )
        try select.bind(1, day * 24)
        try select.bind(2, (day + 1) * 24)
        defer { select.reset() }
        return try select.step()
    }

    private func fold(
        _ number: Int64,
        _ resolution: RollupResolution,
        from parts: SQLiteRollupTable
    ) throws(HistoryError) {
        let table = SQLiteRollupTable(resolution: resolution)
        let last = try database.integer("SELECT max(number) FROM rollup_targets") ?? 0
        var target: Int64 = 0
        while target < last {
            // Numbers of targets that are gone are not looked at one by one.
            guard let next = try targets(after: target).first else { break }
            target = next - 1
            let sums = try sums(of: parts, in: number, resolution, after: target)
            target += Self.foldStep
            guard !sums.isEmpty else { continue }
            try change { () throws(HistoryError) in
                var isNew = false
                for (target, bucket) in sums {
                    let isOther = try put(bucket, table, number, target) { known, new in
                        known.knowsMore(than: new) ? known : new
                    }
                    if isOther { isNew = true }
                }
                if isNew, resolution == .hour { try note(.hour, number * resolution.length) }
            }
        }
        try change { () throws(HistoryError) in
            let done = try statement("DELETE FROM rollup_unfolded WHERE length = ?1 AND start = ?2")
            try done.bind(1, resolution.length)
            try done.bind(2, number)
            try done.run()
        }
    }

    /// What the parts of one bucket come to, for some targets.
    private func sums(
        of parts: SQLiteRollupTable,
        in number: Int64,
        _ resolution: RollupResolution,
        after target: Int64
    ) throws(HistoryError) -> [Int64: RollupBucket] {
        let count = resolution.length / parts.resolution.length
        var sums: [Int64: RollupBucket] = [:]
        let isByTime = parts.resolution == .minute
        // In the order in which the table has them.
        let select = try statement(
            isByTime
                ? "SELECT target, start, data FROM \(parts.name) WHERE start = ?1 AND target > ?2 AND target <= ?3"
                : "SELECT target, start, data FROM \(parts.name) WHERE target = ?1 AND start >= ?2 AND start < ?3"
        )
        defer { select.reset() }
        for step in 0..<(isByTime ? count : Self.foldStep) {
            try select.bind(1, isByTime ? number * count + step : target + 1 + step)
            try select.bind(2, isByTime ? target : number * count)
            try select.bind(3, isByTime ? target + Self.foldStep : (number + 1) * count)
            while try select.step() {
                guard let owner = select.integer(0), let start = select.integer(1) else { continue }
                let bucket = try parts.bucket(select.bytes(2))
                sums[owner, default: RollupBucket()].absorb(
                    bucket,
                    at: (start - number * count) * parts.resolution.length
                )
            }
        }
        return sums
    }

    // MARK: Forgetting

    /// Removes some of what is too old and was made into something larger.
    ///
    /// - Parameter now: the time, in milliseconds since 1970, as far as it can be trusted.
    /// - Returns: Whether there is more to remove.
    func trim(now: Int64) throws(HistoryError) -> Bool {
        if try trimMinutes(before: now - retention.milliseconds(.minute)) { return true }
        if size > retention.bytes {
            if try trimMinutes(before: now) { return true }
            try shrink(now: now)
        }
        let day = RollupResolution.day.number(of: now)
        guard try database.integer("SELECT value FROM meta WHERE name = 'rollup_trimmed_day'") != day else {
            return false
        }
        try trimByTarget(
            hours: RollupResolution.day.start(of: now - retention.milliseconds(.hour)) / RollupResolution.hour.length,
            days: RollupResolution.day.number(of: now - retention.milliseconds(.day)),
            now: now
        )
        try change { () throws(HistoryError) in
            try database.execute("INSERT OR REPLACE INTO meta VALUES('rollup_trimmed_day', \(day))")
        }
        return false
    }

    /// Removes the oldest minute of all targets; one that is not part of an hour yet stays.
    private func trimMinutes(before moment: Int64) throws(HistoryError) -> Bool {
        guard let oldest = try database.integer("SELECT min(start) FROM rollup_minutes") else { return false }
        let hour = RollupResolution.hour.number(of: oldest * RollupResolution.minute.length)
        // Whole hours: what is left of one would be taken for all that there was.
        guard (hour + 1) * RollupResolution.hour.length <= moment else { return false }
        guard try !unfolded(.hour).contains(hour) else { return false }
        try change { () throws(HistoryError) in
            let size =
                "SELECT total(length(data) + \(SQLiteRollupTable.rowCost)) FROM rollup_minutes WHERE start = \(oldest)"
            bytes -= try database.integer(size) ?? 0
            try database.execute("DELETE FROM rollup_minutes WHERE start = \(oldest)")
        }
        return true
    }

    /// Removes the oldest day's hours although they are not too old, or the oldest day: what says the least for its room. No more
    /// than that at once, since it is looked for in all there is.
    private func shrink(now: Int64) throws(HistoryError) {
        let today = RollupResolution.day.number(of: now)
        if let first = try bounded("SELECT min(start) FROM rollup_hours"), first / 24 < today,
            try unfolded(.day).first.map({ $0 > first / 24 }) ?? true
        {
            try trimByTarget(hours: (first / 24 + 1) * 24, days: .min, now: now)
        } else if let first = try bounded("SELECT min(start) FROM rollup_days"), first < today {
            try trimByTarget(hours: .min, days: first + 1, now: now)
        }
    }

    /// The number of a bucket, kept to what can be calculated with whatever the file says.
    private func bounded(_ sql: String) throws(HistoryError) -> Int64? {
        let limit = SQLiteFileCheck.latestMillisecond
        return try database.integer(sql).map { min(max($0, -limit), limit) }
    }

    /// Removes the hours and days before some, but no hours that a day is still to be made of.
    private func trimByTarget(hours: Int64, days: Int64, now: Int64) throws(HistoryError) {
        // A day that is not made yet still needs its hours.
        let firstUnfolded = try unfolded(.day).first.map { $0 * 24 } ?? .max
        var target: Int64 = 0
        while case let numbers = try targets(after: target), let last = numbers.last {
            try change { () throws(HistoryError) in
                for number in numbers {
                    try trim(.hours, of: number, before: min(hours, firstUnfolded))
                    try trim(.days, of: number, before: days)
                }
                try forgetTargets(in: target + 1...last, now: now)
            }
            target = last
        }
    }

    /// The next numbers of targets that there are: far fewer than were given, where targets come and go.
    private func targets(after number: Int64) throws(HistoryError) -> [Int64] {
        let select = try statement("SELECT number FROM rollup_targets WHERE number > ?1 ORDER BY number LIMIT ?2")
        try select.bind(1, number)
        try select.bind(2, Self.foldStep)
        defer { select.reset() }
        var numbers: [Int64] = []
        while try select.step() { numbers.append(select.integer(0) ?? 0) }
        return numbers
    }

    private func trim(_ table: SQLiteRollupTable, of target: Int64, before start: Int64) throws(HistoryError) {
        let size = try statement(
            "SELECT total(length(data) + \(SQLiteRollupTable.rowCost)) FROM \(table.name) WHERE target = ?1 AND start < ?2"
        )
        try size.bind(1, target)
        try size.bind(2, start)
        let freed = try size.step() ? size.integer(0) ?? 0 : 0
        size.reset()
        guard freed > 0 else { return }
        let delete = try statement("DELETE FROM \(table.name) WHERE target = ?1 AND start < ?2")
        try delete.bind(1, target)
        try delete.bind(2, start)
        try delete.run()
        bytes -= freed
    }

    /// Forgets the names of targets of which nothing is left. Their numbers are never given again.
    private func forgetTargets(in range: ClosedRange<Int64>, now: Int64) throws(HistoryError) {
        let newcomer = RollupResolution.day.number(of: now - retention.milliseconds(.minute)) - 1
        let select = try statement(
            """
            SELECT number, id FROM rollup_targets WHERE number BETWEEN ?1 AND ?2 AND added < ?3
            AND NOT EXISTS (SELECT 1 FROM rollup_hours WHERE target = number)
            AND NOT EXISTS (SELECT 1 FROM rollup_days WHERE target = number)
            """
        )
        try select.bind(1, range.lowerBound)
        try select.bind(2, range.upperBound)
        try select.bind(3, newcomer)
        var gone: [Int64] = []
        while try select.step() {
            // One that this process writes has minutes.
            guard let number = select.integer(0), let id = select.text(1), numbers[id] == nil else { continue }
            gone.append(number)
        }
        for number in gone { try database.execute("DELETE FROM rollup_targets WHERE number = \(number)") }
    }
}
