// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// Writes what a log's file says, a few hundred rows at a time, while a service may write it: no read lasts longer than
/// that, so that the write-ahead log can be taken over in between.
///
/// The order depends on nothing but what is in it: events by their numbers; minutes by time and name, hours and days by name and time.
package struct HistoryExport {
    private static let pageLength = 512

    private let database: SQLiteDatabase
    private let format: TransferFormat
    private let write: ([UInt8]) -> Void
    private var page: [UInt8] = []
    /// Records written.
    package private(set) var count = 0

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the log's.
    ///   - format: how lines are written.
    ///   - write: takes whole lines, some at a time.
    /// - Throws: ``HistoryError``, also for a file that is not a log of this version or an earlier one.
    package init(
        path: String,
        format: TransferFormat,
        write: @escaping ([UInt8]) -> Void
    ) throws(HistoryError) {
        database = try SQLiteDatabase(path: path, mode: .readOnly, patience: 5000)
        self.format = format
        self.write = write
        guard try database.integer("PRAGMA application_id") == SQLiteSchema.applicationID else {
            throw HistoryError(.foreign, "\(path) is not an event log of reachd")
        }
        let version = try database.integer("PRAGMA user_version") ?? 0
        guard version <= SQLiteSchema.current.version else {
            throw HistoryError(
                .tooNew,
                "\(path) has version \(version); this reachd supports versions up to \(SQLiteSchema.current.version)"
            )
        }
    }

    /// Writes everything that is wanted.
    ///
    /// - Parameters:
    ///   - selection: what; comma-separated values take one part.
    ///   - progress: called after each page with the number of records written so far.
    package mutating func run(
        _ selection: TransferSelection,
        progress: (Int) -> Void = { _ in }
    ) throws(HistoryError) {
        let hasEvents = selection.parts.contains(.events) || selection.parts.contains(.transitions)
        switch format {
        case .jsonl: append(Array(TransferLine.signature.utf8))
        case .csv: append(Array(TransferLine.columns(hasEvents ? .event : .rollup).utf8))
        }
        if hasEvents {
            if format == .jsonl, selection.parts.contains(.events), selection.targets.isEmpty {
                try gaps(selection)
            }
            try events(selection, progress)
        }
        if selection.parts.contains(.rollups), try database.integer("PRAGMA user_version") ?? 0 >= 2 {
            try minutes(selection, progress)
            try larger(.hours, selection, progress)
            try larger(.days, selection, progress)
        }
        flush()
        progress(count)
    }

    // MARK: Rows

    private mutating func gaps(_ selection: TransferSelection) throws(HistoryError) {
        let rows = try database.prepare("SELECT first, last, began, ended, reason FROM gaps ORDER BY first")
        while try rows.step() {
            let gap = try SQLiteEventReader.gap(rows)
            if selection.contains(gap.began.milliseconds) { append(.gap(gap)) }
        }
    }

    private mutating func events(
        _ selection: TransferSelection,
        _ progress: (Int) -> Void
    ) throws(HistoryError) {
        let select = try database.prepare(SQLiteEventRow.select, isKept: true)
        var last: UInt64 = 0
        while true {
            try select.bind(1, Int64(clamping: last))
            try select.bind(2, Int64(Self.pageLength))
            var seen = 0
            while try select.step() {
                let event = try SQLiteEventRow.event(select)
                seen += 1
                last = event.sequence
                if selection.contains(event) { append(.event(event)) }
            }
            flush()
            progress(count)
            guard seen == Self.pageLength else { return }
        }
    }

    private mutating func minutes(
        _ selection: TransferSelection,
        _ progress: (Int) -> Void
    ) throws(HistoryError) {
        let next = try database.prepare("SELECT min(start) FROM rollup_minutes WHERE start >= ?1", isKept: true)
        let rows = try database.prepare(
            "SELECT id, data FROM rollup_minutes JOIN rollup_targets ON number = target WHERE start = ?1 ORDER BY id",
            isKept: true
        )
        let length = RollupResolution.minute.length
        var start = selection.from.map { RollupResolution.minute.number(of: $0.milliseconds) } ?? .min
        while true {
            try next.bind(1, start)
            let found = try next.step() ? next.integer(0) : nil
            next.reset()
            guard let found, found * length < selection.to?.milliseconds ?? .max else { return }
            try rows.bind(1, found)
            while try rows.step() {
                try append(rows.text(0), found, rows.bytes(1), .minutes, selection)
            }
            flush()
            progress(count)
            start = found + 1
        }
    }

    private mutating func larger(
        _ table: SQLiteRollupTable,
        _ selection: TransferSelection,
        _ progress: (Int) -> Void
    ) throws(HistoryError) {
        let next = try database.prepare(
            "SELECT number, id FROM rollup_targets WHERE id > ?1 ORDER BY id LIMIT 1",
            isKept: true
        )
        let rows = try database.prepare(
            "SELECT start, data FROM \(table.name) WHERE target = ?1 ORDER BY start",
            isKept: true
        )
        var last = ""
        while true {
            try next.bind(1, last)
            let found = try next.step() ? (next.integer(0), next.text(1)) : (nil, nil)
            next.reset()
            guard let number = found.0, let id = found.1 else { return }
            last = id
            guard selection.targets.isEmpty || selection.targets.contains(id) else { continue }
            try rows.bind(1, number)
            while try rows.step() { try append(id, rows.integer(0) ?? 0, rows.bytes(1), table, selection) }
            flush()
            progress(count)
        }
    }

    private mutating func append(
        _ target: String?,
        _ number: Int64,
        _ data: [UInt8]?,
        _ table: SQLiteRollupTable,
        _ selection: TransferSelection
    ) throws(HistoryError) {
        let start = number * table.resolution.length
        guard let target, selection.contains(start), selection.targets.isEmpty || selection.targets.contains(target)
        else { return }
        let piece = RollupSegment(target: target, start: start, bucket: try table.bucket(data))
        append(.rollup(table.resolution, piece))
    }

    // MARK: Lines

    private mutating func append(_ record: TransferRecord) {
        count += 1
        switch format {
        case .jsonl: append(TransferLine.json(record))
        case .csv: append(TransferLine.csv(record))
        }
    }

    private mutating func append(_ line: [UInt8]) {
        page += line
        page.append(0x0a)
        // Events may be large.
        if page.count > 1 << 18 { flush() }
    }

    private mutating func flush() {
        guard !page.isEmpty else { return }
        write(page)
        page.removeAll(keepingCapacity: true)
    }
}

/// What is exported.
package struct TransferSelection: Sendable, Hashable {
    /// The parts of the history; raw values are the command line's.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        /// Every event.
        case events
        /// Only the changes of states among them.
        case transitions
        /// Minutes, hours and days.
        case rollups
    }

    /// Which parts.
    package var parts: Set<Part>
    /// Not before this moment.
    package var from: Timestamp?
    /// Before this moment.
    package var to: Timestamp?
    /// Only of these targets; of all, and of none, when empty.
    package var targets: Set<String>

    /// Creates a selection.
    package init(
        parts: Set<Part> = [.events, .rollups],
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        targets: Set<String> = []
    ) {
        self.parts = parts
        self.from = from
        self.to = to
        self.targets = targets
    }

    func contains(_ moment: Int64) -> Bool {
        moment >= from?.milliseconds ?? .min && moment < to?.milliseconds ?? .max
    }

    func contains(_ event: RecordedEvent) -> Bool {
        guard contains(event.at.milliseconds), parts.contains(.events) || event.transition != nil else { return false }
        return targets.isEmpty || event.target.map(targets.contains) ?? false
    }
}
