// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring
import Synchronization

/// Reads a log's file through a connection of its own, that is opened when it is first wanted and again after a failure.
package final class HistoryReader: HistoryReading {
    /// Rows of the log that one page may look at: between two moments there may be none, and many on the way.
    private static let lookLimit = 20_000

    private struct Connection {
        let database: SQLiteDatabase
        let place: FilePosition
        let rollups: SQLiteRollupReader
        let identity: String
        let transitions: SQLiteStatement
    }

    private let path: String
    private let rollups: any RollupSource
    private let connection = Mutex<Connection?>(nil)

    /// - Parameters:
    ///   - path: the file.
    ///   - rollups: provides rollups that are not in the file yet.
    package init(path: String, rollups: any RollupSource) {
        self.path = path
        self.rollups = rollups
    }

    /// How what is read is written.
    package var rollupStatus: RollupStatus { rollups.status }

    /// Changes of a target's state, newest first.
    package func transitions(of target: String, _ query: TransitionQuery) throws(HistoryError) -> TransitionPage? {
        try reading { connection throws(HistoryError) in
            if let cursor = query.cursor, cursor.log != connection.identity { return nil }
            let rows = connection.transitions
            try rows.bind(1, target)
            try rows.bind(2, query.cursor.map { Int64(clamping: $0.sequence) } ?? .max)
            defer { rows.reset() }
            var events: [RecordedEvent] = []
            var last: UInt64 = 0
            var looked = 0
            while try rows.step() {
                // One more than wanted: there is a further page.
                guard events.count < query.limit, looked < Self.lookLimit else {
                    return TransitionPage(
                        events: events,
                        next: TransitionCursor(log: connection.identity, sequence: last)
                    )
                }
                looked += 1
                last = UInt64(clamping: rows.integer(0) ?? 0)
                let moment = Timestamp(milliseconds: rows.integer(1) ?? 0)
                if let from = query.from, moment < from { continue }
                if let to = query.to, moment >= to { continue }
                events.append(try SQLiteEventRow.event(rows))
            }
            return TransitionPage(events: events, next: nil)
        }
    }

    /// What the time up to now came to, for windows of some lengths.
    package func windows(
        of ordinal: UInt64,
        target: String,
        lengths: [Duration],
        now: Timestamp
    ) throws(HistoryError) -> [HistoryWindow] {
        let settings = rollups.settings
        let end = RollupResolution.minute.start(of: now.milliseconds) + RollupResolution.minute.length
        let ranges = lengths.map { Self.start($0, now: now.milliseconds, settings)..<end }
        let sums = try parts(of: ordinal, target: target, ranges: ranges, now: now)
        return zip(ranges, sums).map { range, sum in
            HistoryWindow(from: Timestamp(milliseconds: range.lowerBound), to: now, bucket: sum)
        }
    }

    /// What parts of a target's time came to.
    package func parts(
        of ordinal: UInt64,
        target: String,
        ranges: [Range<Int64>],
        now: Timestamp
    ) throws(HistoryError) -> [RollupBucket] {
        // Memory first: what is written in between is then found twice, and not nowhere.
        let unwritten = rollups.unwritten(ordinal, target: target)
        return try reading { connection throws(HistoryError) in
            try connection.rollups.sums(of: target, in: ranges, now: now.milliseconds, unwritten: unwritten)
        }
    }

    /// Reads the buckets of all targets that begin at a moment, page by page. May wait for the disk; any thread, one at a time.
    ///
    /// - Parameters:
    ///   - resolution: an hour or a day.
    ///   - start: where it begins, in milliseconds since 1970.
    ///   - place: ``CompletedRollups/next`` of the page before; nil for the first page.
    ///   - limit: how many targets to look at; above 0.
    ///   - bytes: how many bytes of data to return; one bucket is returned even when it is larger.
    ///   - isWanted: whether a target's bucket is returned.
    /// - Returns: a page; nil until the buckets are made of all their parts.
    package func completed(
        _ resolution: RollupResolution,
        start: Int64,
        after place: Int64?,
        limit: Int,
        bytes: Int,
        isWanted: (String) -> Bool
    ) throws(HistoryError) -> CompletedRollups? {
        try reading { connection throws(HistoryError) in
            try connection.rollups.completed(
                resolution,
                start: start,
                after: place,
                limit: limit,
                bytes: bytes,
                isWanted: isWanted
            )
        }
    }

    /// A window begins with a minute; with an hour or a day where the smaller are not kept any more.
    private static func start(_ length: Duration, now: Int64, _ settings: RollupSettings) -> Int64 {
        let start = now - length.components.seconds * 1000
        if start < now - settings.milliseconds(.hour) { return RollupResolution.day.start(of: start) }
        if start < now - settings.milliseconds(.minute) { return RollupResolution.hour.start(of: start) }
        return RollupResolution.minute.start(of: start)
    }

    private func reading<Value: Sendable>(
        _ body: (Connection) throws(HistoryError) -> Value
    ) throws(HistoryError) -> Value {
        let outcome = connection.withLock { connection -> Result<Value, HistoryError> in
            do throws(HistoryError) {
                // A removed file can still be read, but has nothing new.
                if let open = connection {
                    do throws(HistoryError) { try open.place.check() } catch { connection = nil }
                }
                let open = if let connection { connection } else { try Self.open(path) }
                connection = open
                return .success(try body(open))
            } catch {
                connection = nil
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    private static func open(_ path: String) throws(HistoryError) -> Connection {
        let database = try SQLiteDatabase(path: path, mode: .readOnly, patience: 1000)
        try database.execute("PRAGMA cache_size = -2048")
        guard let identity = try database.text("SELECT value FROM meta WHERE name = 'identity'") else {
            throw HistoryError(.corrupt, "\(path) contains no identity")
        }
        return Connection(
            database: database,
            place: FilePosition(path),
            rollups: try SQLiteRollupReader(database),
            identity: identity,
            transitions: try database.prepare(SQLiteEventRow.selectTransitions, isKept: true)
        )
    }
}

/// Reads what was kept of targets. May wait for the disk; any thread, one at a time.
package protocol HistoryReading: Sendable {
    /// How what is read is written. Waits for no disk.
    var rollupStatus: RollupStatus { get }

    /// Changes of a target's state.
    ///
    /// - Parameters:
    ///   - target: the target's id.
    ///   - query: which.
    /// - Returns: The page; nil when the query's cursor is of another log.
    func transitions(of target: String, _ query: TransitionQuery) throws(HistoryError) -> TransitionPage?

    /// What parts of a target's time came to.
    ///
    /// - Parameters:
    ///   - ordinal: the target's place in the registry.
    ///   - target: its id.
    ///   - ranges: in milliseconds since 1970, each from a minute to a minute; from an hour or a day where the smaller are not
    ///     kept any more.
    ///   - now: the time.
    func parts(
        of ordinal: UInt64,
        target: String,
        ranges: [Range<Int64>],
        now: Timestamp
    ) throws(HistoryError) -> [RollupBucket]

    /// What the time up to now came to.
    ///
    /// - Parameters:
    ///   - ordinal: the target's place in the registry.
    ///   - target: its id.
    ///   - lengths: how long each window is.
    ///   - now: the time.
    func windows(
        of ordinal: UInt64,
        target: String,
        lengths: [Duration],
        now: Timestamp
    ) throws(HistoryError) -> [HistoryWindow]
}

/// What a target's time since a moment came to.
package struct HistoryWindow: Sendable, Hashable {
    /// When it begins.
    package let from: Timestamp
    /// When it ends: now.
    package let to: Timestamp
    /// What it came to.
    package let bucket: RollupBucket

    /// Creates a window.
    package init(from: Timestamp, to: Timestamp, bucket: RollupBucket) {
        (self.from, self.to, self.bucket) = (from, to, bucket)
    }

    /// The share of the time in which it answered, of that about which it is known; nil when none is.
    package var uptimeRatio: Double? {
        let judged = bucket.times.judged
        return judged == 0 ? nil : Double(bucket.times.up) / Double(judged)
    }

    /// The share of the time about which it is known whether it answered.
    package var coverageRatio: Double {
        let length = to.milliseconds - from.milliseconds
        return length <= 0 ? 0 : min(Double(bucket.times.judged) / Double(length), 1)
    }
}
