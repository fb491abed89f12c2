// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// Puts an export into a log's file that no service has at this moment; what already exists stays as it is.
///
/// Lines are taken one after the other and written some hundreds at a time: a second import of the same, or of what an
/// interrupted one left, changes nothing more.
package final class HistoryImport {
    private static let batchLength = 512
    private static let batchBytes = 8 << 20

    /// What came of it so far.
    package private(set) var report = ImportReport()

    private enum Shape {
        case jsonl
        case csv(TransferKind)
    }

    private let file: SQLiteEventFile
    private let database: SQLiteDatabase
    private let writer: SQLiteRollupWriter
    private var shape: Shape?
    private var number = 0
    private var batch: [TransferRecord] = []
    private var batchBytes = 0
    private var isEpochNew = false

    /// Opens a file or makes one, and keeps others from it as long as this object lives.
    ///
    /// - Parameters:
    ///   - path: the log's.
    ///   - now: the time.
    /// - Throws: ``HistoryError``; ``HistoryError/Code/locked`` when a service has it.
    package init(path: String, now: Timestamp) throws(HistoryError) {
        file = SQLiteEventFile(path: path)
        let opened = try file.open(now: now)
        // It is of this version now.
        opened.store.close()
        report.setAside = opened.setAside
        writer = try SQLiteRollupWriter(path: path, retention: RollupSettings())
        database = try SQLiteDatabase(path: path, mode: .readWrite, patience: 5000)
        try database.execute("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4096")
    }

    /// Whether a file that begins with a line is an export that can be taken.
    package static func isExport(firstLine line: [UInt8]) -> Bool { TransferBeginning(firstLine: line).fault == nil }

    /// Why a file that begins with a line cannot be taken, although it is an export or what is left of one.
    ///
    /// - Parameter line: The line without its end; its first 4096 bytes are enough.
    /// - Returns: Words; nil for an export that can be taken, and for other files.
    package static func fault(firstLine line: [UInt8]) -> String? {
        let beginning = TransferBeginning(firstLine: line)
        return beginning == .foreign ? nil : beginning.fault
    }

    /// Takes a line without its end. Exports may follow one another, each with its first line.
    ///
    /// - Throws: ``HistoryError`` when the file cannot be written; what was written before stays.
    package func take(_ line: [UInt8]) throws(HistoryError) {
        number += 1
        let beginning = number == 1 ? TransferBeginning(firstLine: line) : TransferBeginning.header(line)
        switch beginning {
        case nil: break
        case .jsonLines?: return shape = .jsonl
        case .columns(let kind)?: return shape = .csv(kind)
        case .otherVersion?, .record?, .foreign?:
            shape = nil
            report.fault(number, beginning?.fault ?? "")
            return
        }
        guard let shape else {
            // Said of the line that they follow.
            report.faulty += 1
            return
        }
        guard !line.isEmpty else { return }
        do throws(TransferError) {
            let record =
                switch shape {
                case .jsonl: try TransferLine.record(json: line)
                case .csv(let kind): try TransferLine.record(csv: line, kind)
                }
            batch.append(record)
            batchBytes += line.count
        } catch {
            report.fault(number, error.message)
        }
        if batch.count >= Self.batchLength || batchBytes >= Self.batchBytes { try flush() }
    }

    /// Notes a line that is too long to be taken.
    package func skipLongLine() {
        number += 1
        report.fault(number, "the line is too long")
    }

    /// Writes what is left.
    package func finish() throws(HistoryError) {
        try flush()
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    // MARK: Writing

    private func flush() throws(HistoryError) {
        let records = batch
        (batch, batchBytes) = ([], 0)
        try write(events: records)
        for table in [SQLiteRollupTable.minutes, .hours, .days] {
            let pieces = records.compactMap { record -> RollupSegment? in
                guard case .rollup(table.resolution, let piece) = record else { return nil }
                return piece
            }
            let written =
                table.resolution == .minute ? try writer.write(pieces) : try writer.adopt(pieces, table)
            report.taken += written
            report.known += pieces.count - written
        }
    }

    private func write(events records: [TransferRecord]) throws(HistoryError) {
        guard records.contains(where: { $0.kind != .rollup }) else { return }
        var (taken, known, conflicting) = (0, 0, 0)
        try database.transaction { () throws(HistoryError) in
            let insert = try database.prepare(SQLiteEventRow.insert + " ON CONFLICT DO NOTHING")
            let select = try database.prepare(SQLiteEventRow.select)
            let gaps = try database.prepare("INSERT OR IGNORE INTO gaps VALUES(?1, ?2, ?3, ?4, ?5)")
            for record in records {
                switch record {
                case .event(let event):
                    try SQLiteEventRow.bind(event, to: insert)
                    try insert.run()
                    if database.changes > 0 {
                        taken += 1
                    } else if try Self.event(event.sequence, select) == event {
                        known += 1
                    } else {
                        conflicting += 1
                    }
                case .gap(let gap):
                    try SQLiteEventReader.bind(gap, to: gaps)
                    try gaps.run()
                    if database.changes > 0 { taken += 1 } else { known += 1 }
                case .rollup: break
                }
            }
            if taken > 0, !isEpochNew {
                // A client that followed the log before would miss the imported events, so it gets a snapshot.
                try database.execute("UPDATE meta SET value = '\(EventID.randomEpoch())' WHERE name = 'epoch'")
            }
        }
        if taken > 0 { isEpochNew = true }
        report.taken += taken
        report.known += known
        report.conflicting += conflicting
    }

    private static func event(_ sequence: UInt64, _ select: SQLiteStatement) throws(HistoryError) -> RecordedEvent? {
        try select.bind(1, Int64(clamping: sequence - 1))
        try select.bind(2, 1 as Int64)
        defer { select.reset() }
        return try select.step() ? try SQLiteEventRow.event(select) : nil
    }
}

/// What came of an import.
package struct ImportReport: Sendable, Hashable {
    /// What is wrong with a line.
    package struct Fault: Sendable, Hashable {
        /// Its number, counted from one.
        package let line: Int
        /// In words.
        package let message: String
    }

    /// Faults that are kept in words.
    static let faultLimit = 20

    /// Records that changed the file.
    package internal(set) var taken = 0
    /// Records that say nothing that was not there.
    package internal(set) var known = 0
    /// Events with the number of another one that is there; they were left out.
    package internal(set) var conflicting = 0
    /// Lines that were left out because they are wrong.
    package internal(set) var faulty = 0
    /// The first of the wrong lines.
    package internal(set) var faults: [Fault] = []
    /// Where an unusable file is now that was in the place.
    package internal(set) var setAside: String?

    mutating func fault(_ line: Int, _ message: String) {
        faulty += 1
        if faults.count < Self.faultLimit { faults.append(Fault(line: line, message: message)) }
    }
}

/// What is wrong with a line of a file that is to be imported.
package struct TransferError: Error, Sendable, Hashable {
    /// In words.
    package let message: String

    init(_ message: String) { self.message = message }
}
