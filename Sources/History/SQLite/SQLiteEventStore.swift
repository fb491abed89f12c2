// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
package import Monitoring
import Synchronization

/// The log in an SQLite file with a write-ahead log.
///
/// `synchronous = NORMAL`: a commit is written and not brought to the disk one by one. What was committed survives any end of the
/// process; when the machine loses power the newest commits can be lost, never the file. `FULL` would survive that too, at
/// the price of a wait for the disk each time.
///
/// Unchecked because only the writing thread touches the writing connection, which is this protocol's rule and nothing
/// that a type can say.
package final class SQLiteEventStore: EventStore, @unchecked Sendable {
    /// The name of this file.
    package let identity: String

    private let path: String
    private let writer: SQLiteDatabase
    private let insert: SQLiteStatement
    private let place: FilePosition
    private let reader: Mutex<SQLiteEventReader?>
    private let currentEpoch: Mutex<String>
    private let newest: Atomic<UInt64>
    private let first: Atomic<UInt64>
    private let bytes: Atomic<UInt64>
    private let isClosed = Atomic<Bool>(false)
    /// What was committed since the write-ahead log was copied into the file, estimated in bytes.
    private let uncopied = Atomic<Int>(0)

    /// A copy waits for the disk twice, so it is made when no event waits; what there is to copy has a limit.
    private static let copyThreshold = 4 << 20
    private static let copyLimit = 16 << 20

    /// The most rows that one step of ``trim(to:now:)`` removes, and pages that it releases.
    private static let trimStep = 2_048
    private static let vacuumStep = 512

    /// Opens or creates a file; no other process may write it.
    init(path: String, schema: SQLiteSchema) throws(HistoryError) {
        let writer = try SQLiteFile.open(path, schema: schema, synchronization: .normal)
        try writer.execute("PRAGMA wal_autocheckpoint = 0")
        // A test's schema need not have all tables.
        if schema.version == SQLiteSchema.current.version { try SQLiteFileCheck.check(writer) }
        try writer.transaction { () throws(HistoryError) in
            for name in ["identity", "epoch"] {
                try writer.execute("INSERT OR IGNORE INTO meta VALUES('\(name)', '\(EventID.randomEpoch())')")
            }
            try Self.distrustLostPower(writer)
        }
        guard let identity = try writer.text("SELECT value FROM meta WHERE name = 'identity'"),
            let epoch = try writer.text("SELECT value FROM meta WHERE name = 'epoch'"),
            EventID(parsing: "\(epoch)-0") != nil
        else { throw HistoryError(.corrupt, "\(path) contains no epoch") }
        let last = try writer.integer("SELECT max(sequence) FROM events") ?? 0
        let floor = try writer.integer("SELECT value FROM meta WHERE name = 'head'") ?? 0
        let oldest = try writer.integer("SELECT min(sequence) FROM events")
        let head = UInt64(clamping: max(last, floor))
        self.path = path
        self.identity = identity
        self.writer = writer
        insert = try writer.prepare(SQLiteEventRow.insert, isKept: true)
        reader = Mutex(try SQLiteEventReader(path: path))
        currentEpoch = Mutex(epoch)
        newest = Atomic(head)
        first = Atomic(oldest.map(UInt64.init(clamping:)) ?? head + 1)
        bytes = Atomic(0)
        place = FilePosition(path)
        bytes.store(try measure(), ordering: .relaxed)
    }

    /// The newest commits may be lost when the machine loses its power, and with them numbers that clients saw: after a boot the
    /// numbers continue under the same epoch only if the log was closed in order.
    private static func distrustLostPower(_ writer: SQLiteDatabase) throws(HistoryError) {
        let boot = BootIdentity.current
        if let last = try writer.text("SELECT value FROM meta WHERE name = 'boot'"), last != boot,
            try writer.text("SELECT value FROM meta WHERE name = 'clean'") != "1"
        {
            try writer.execute("UPDATE meta SET value = '\(EventID.randomEpoch())' WHERE name = 'epoch'")
        }
        let set = try writer.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2)")
        for (name, value) in [("boot", boot), ("clean", "0")] {
            try set.bind(1, name)
            try set.bind(2, value)
            try set.step()
        }
    }

    /// The epoch of the numbers.
    package var epoch: String { currentEpoch.withLock { $0 } }

    /// The number of the newest event.
    package var head: UInt64 { newest.load(ordering: .acquiring) }

    /// The number of the oldest event that is kept.
    package var oldest: UInt64 { first.load(ordering: .acquiring) }

    /// What the file's pages in use take, as it was measured last.
    package var size: UInt64 { bytes.load(ordering: .relaxed) }

    // MARK: Writing

    /// Adds events in one transaction.
    package func append(_ events: [RecordedEvent]) throws(HistoryError) {
        guard let last = events.last else { return }
        try place.check()
        try writer.transaction { () throws(HistoryError) in
            var number = head
            for event in events {
                guard event.sequence > number else {
                    throw HistoryError(.other, "append: number \(event.sequence) is in the log already")
                }
                number = event.sequence
                try SQLiteEventRow.bind(event, to: insert)
                try insert.step()
            }
            try SQLiteIncidentTable.write(events.compactMap(\.incident), to: writer)
        }
        uncopied.add(events.reduce(0) { $0 + $1.cost }, ordering: .relaxed)
        let wasEmpty = oldest > head
        newest.store(last.sequence, ordering: .releasing)
        if wasEmpty { first.store(events[0].sequence, ordering: .releasing) }
        if uncopied.load(ordering: .relaxed) >= Self.copyLimit { try copy() }
    }

    /// Whether enough was committed for a copy of the write-ahead log into the file.
    package var wantsRest: Bool { uncopied.load(ordering: .relaxed) >= Self.copyThreshold }

    /// Copies the write-ahead log into the file.
    package func rest() throws(HistoryError) {
        if wantsRest { try copy() }
    }

    /// What readers still need stays in the write-ahead log until the next copy.
    private func copy() throws(HistoryError) {
        uncopied.store(0, ordering: .relaxed)
        try writer.execute("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Says under which epoch the numbers are from now on.
    package func adopt(epoch: String, head: UInt64, gaps: [EventGap]) throws(HistoryError) {
        try place.check()
        let floor = max(head, self.head)
        try writer.transaction { () throws(HistoryError) in
            let set = try writer.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2)")
            try set.bind(1, "epoch")
            try set.bind(2, epoch)
            try set.step()
            try set.bind(1, "head")
            try set.bind(2, Int64(clamping: floor))
            try set.step()
            let add = try writer.prepare("INSERT OR REPLACE INTO gaps VALUES(?1, ?2, ?3, ?4, ?5)")
            for gap in gaps {
                try add.bind(1, Int64(clamping: gap.first))
                try add.bind(2, Int64(clamping: gap.last))
                try add.bind(3, gap.began.milliseconds)
                try add.bind(4, gap.ended.milliseconds)
                try add.bind(5, gap.reason.rawValue)
                try add.step()
            }
        }
        currentEpoch.withLock { $0 = epoch }
        if oldest > self.head { first.store(floor + 1, ordering: .releasing) }
        newest.store(floor, ordering: .releasing)
    }

    /// Keeps where readers left off, in the table `meta`.
    package func setMarks(_ changes: [String: String?]) throws(HistoryError) {
        try place.check()
        try writer.transaction { () throws(HistoryError) in
            let set = try writer.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2)")
            let remove = try writer.prepare("DELETE FROM meta WHERE name = ?1")
            for (name, mark) in changes {
                let statement = mark == nil ? remove : set
                try statement.bind(1, SQLiteEventReader.markPrefix + name)
                if let mark { try statement.bind(2, mark) }
                try statement.step()
            }
        }
    }

    /// Replaces all incidents in one transaction.
    package func setIncidents(_ all: [StoredIncident]) throws(HistoryError) {
        try place.check()
        try writer.transaction { () throws(HistoryError) in try SQLiteIncidentTable.replace(with: all, in: writer) }
    }

    /// Removes some of the oldest events; the newest stays, because it carries the number.
    package func trim(to limit: RetentionLimit, now: Timestamp?) throws(HistoryError) -> Bool {
        try place.check()
        let used = try measure()
        bytes.store(used, ordering: .relaxed)
        let hasMoreIncidents = try trimIncidents(to: limit, now: now)
        guard oldest < head else { return hasMoreIncidents }
        let candidates = try writer.prepare("SELECT sequence, at FROM events ORDER BY sequence LIMIT ?1")
        try candidates.bind(1, Int64(Self.trimStep))
        let count = head - oldest + 1
        // What the excess comes to in events, if all are as large as each other.
        let excess = used > limit.bytes ? Double(used - limit.bytes) / Double(used) * Double(count) : 0
        var isMore = excess > Double(Self.trimStep)
        var end: UInt64?
        var seen = 0
        while try candidates.step() {
            let sequence = UInt64(clamping: candidates.integer(0) ?? 0)
            let age = now.map { $0.milliseconds.subtractingReportingOverflow(candidates.integer(1) ?? 0).partialValue }
            let isOld = age.map { $0 > limit.milliseconds } ?? false
            guard sequence < head, isOld || Double(seen) < excess else { break }
            end = sequence
            seen += 1
        }
        candidates.reset()
        if seen == Self.trimStep || hasMoreIncidents { isMore = true }
        if let end {
            try writer.transaction { () throws(HistoryError) in
                try writer.execute("DELETE FROM events WHERE sequence <= \(end)")
                try writer.execute("DELETE FROM gaps WHERE last <= \(end)")
            }
            let oldest = try writer.integer("SELECT min(sequence) FROM events").map(UInt64.init(clamping:))
            first.store(oldest ?? head + 1, ordering: .releasing)
        }
        if try reclaimSpace() { isMore = true }
        bytes.store(try measure(), ordering: .relaxed)
        return isMore
    }

    /// Removes some incidents that were closed too long ago.
    private func trimIncidents(to limit: RetentionLimit, now: Timestamp?) throws(HistoryError) -> Bool {
        guard let end = limit.oldest(at: now) else { return false }
        return try writer.transaction { () throws(HistoryError) in
            try SQLiteIncidentTable.trim(closedBefore: end.milliseconds, in: writer)
        }
    }

    /// Gives free pages back to the file system while they are many; a log that stays as large as it may be uses them again.
    private func reclaimSpace() throws(HistoryError) -> Bool {
        let free = try writer.integer("PRAGMA freelist_count") ?? 0
        let all = try writer.integer("PRAGMA page_count") ?? 0
        guard free > 1024, free > all / 4 else { return false }
        try writer.execute("PRAGMA incremental_vacuum(\(Self.vacuumStep))")
        return true
    }

    private func measure() throws(HistoryError) -> UInt64 {
        let pages = (try writer.integer("PRAGMA page_count") ?? 0) - (try writer.integer("PRAGMA freelist_count") ?? 0)
        // What is in the same file and no event; its pages are four fifths full.
        let others = try writer.integer("SELECT value * 5 / 4 FROM meta WHERE name = 'rollup_bytes'") ?? 0
        let used = pages * (try writer.integer("PRAGMA page_size") ?? 0)
        let (size, isTooLarge) = used.subtractingReportingOverflow(others)
        return isTooLarge ? 0 : UInt64(clamping: size)
    }

    /// Ends the writing and the reading.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        reader.withLock { $0 = nil }
        // What is left in the write-ahead log is taken over at the next opening at the latest.
        try? writer.execute("PRAGMA synchronous = FULL; INSERT OR REPLACE INTO meta VALUES('clean', '1')")
        try? writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    // MARK: Reading

    /// Events that follow a number.
    package func events(after sequence: UInt64, limit: Int) throws(HistoryError) -> [RecordedEvent] {
        try reading { reader throws(HistoryError) in try reader.events(after: sequence, limit: limit) }.contiguous
    }

    /// What is missing.
    package func gaps() throws(HistoryError) -> [EventGap] {
        try reading { reader throws(HistoryError) in try reader.gaps() }
    }

    /// When the oldest event was recorded.
    package func oldestTime() throws(HistoryError) -> Timestamp? {
        try reading { reader throws(HistoryError) in try reader.oldestTime() }
    }

    private func reading<Value: Sendable>(
        _ body: (SQLiteEventReader) throws(HistoryError) -> Value
    ) throws(HistoryError) -> Value {
        let outcome = reader.withLock { reader -> Result<Value, HistoryError> in
            guard let reader else { return .failure(HistoryError(.other, "\(path) is closed")) }
            do throws(HistoryError) {
                return .success(try body(reader))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }

    /// Where readers left off.
    package func marks() throws(HistoryError) -> [String: String] {
        try reading { reader throws(HistoryError) in try reader.marks() }
    }

    /// All incidents.
    package func incidents() throws(HistoryError) -> [StoredIncident] {
        try reading { reader throws(HistoryError) in try reader.incidents() }
    }

    /// Targets that were not up.
    package func lastProblems(through sequence: UInt64) throws(HistoryError) -> [RecordedEvent] {
        try reading { reader throws(HistoryError) in try reader.lastProblems(through: sequence) }
    }

    /// Copies everything that is safe at this moment to a new file.
    package func backUp(to path: String) throws(HistoryError) {
        try SQLiteBackup.copy(self.path, to: path)
    }
}

/// Which start of the machine this is.
enum BootIdentity {
    /// What the kernel calls it (random(4), `/proc/sys/kernel/random/boot_id`); `unknown` where it does not say.
    static let current: String = {
        let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "unknown" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let text = bytes.prefix(max(0, count)).prefix { $0 > 0x20 && $0 < 0x7f }
        return text.isEmpty ? "unknown" : String(decoding: text, as: UTF8.self)
    }()
}
