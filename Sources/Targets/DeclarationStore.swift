// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import History
import LinuxIO
import Monitoring

/// The API targets' declarations in a table of an SQLite file. A change writes only its differences, in one transaction
/// that is on the disk when ``write(_:removing:imported:)`` returns (`synchronous = FULL`): an acknowledged change
/// survives a loss of power.
///
/// Used only in the target store's turns, one thread at a time.
final class DeclarationStore: Sendable {
    private let file: DeclarationFile
    private let database: SQLiteDatabase
    private let set: SQLiteStatement
    private let remove: SQLiteStatement
    private let place: FilePosition

    /// "rcht"; the event log has another one.
    private static let schema = SQLiteSchema(
        migrations: [
            """
            CREATE TABLE declarations(
                id TEXT PRIMARY KEY NOT NULL,
                number INTEGER NOT NULL,
                declaration TEXT NOT NULL
            ) WITHOUT ROWID;
            CREATE TABLE meta(
                name TEXT PRIMARY KEY NOT NULL,
                value TEXT NOT NULL
            ) WITHOUT ROWID;
            """
        ],
        applicationID: 0x7263_6874
    )

    /// Opens the table, or creates one; no other process may write it.
    ///
    /// - Throws: ``HistoryError``, with ``HistoryError/Code/corrupt`` also for a file that SQLite opens and finds
    ///   damaged.
    init(_ file: DeclarationFile) throws(HistoryError) {
        try file.before(.open)
        self.file = file
        database = try SQLiteFile.open(file.path, schema: Self.schema, synchronization: .full)
        let verdict = try database.text("PRAGMA quick_check(1)") ?? ""
        guard verdict == "ok" else { throw HistoryError(.corrupt, "\(file.path): \(verdict)") }
        set = try database.prepare("INSERT OR REPLACE INTO declarations VALUES(?1, ?2, ?3)", isKept: true)
        remove = try database.prepare("DELETE FROM declarations WHERE id = ?1", isKept: true)
        place = FilePosition(file.path)
    }

    /// All declarations in the order of their numbers, which are at least 1.
    func rows() throws(HistoryError) -> [(number: UInt64, declaration: [UInt8])] {
        let select = try database.prepare("SELECT number, declaration FROM declarations ORDER BY number, id")
        var rows: [(number: UInt64, declaration: [UInt8])] = []
        while try select.step() {
            // Half of the column's range, so that another number always fits.
            guard let number = select.integer(0), (1...Int64.max / 2).contains(number) else {
                throw HistoryError(.corrupt, "\(file.path): a target has an invalid number")
            }
            rows.append((UInt64(number), select.bytes(1) ?? []))
        }
        return rows
    }

    /// The file that was imported last; nil for none.
    func imported() throws(HistoryError) -> String? {
        try database.text("SELECT value FROM meta WHERE name = 'imported'")
    }

    /// Writes a change completely, or nothing when it throws.
    ///
    /// - Parameters:
    ///   - targets: targets to add or to replace, by id.
    ///   - id: the id of a target to remove.
    ///   - imported: the file that they come from, returned by ``imported()``.
    func write(_ targets: [APITarget], removing id: String?, imported: String? = nil) throws(HistoryError) {
        try file.before(.begin)
        try place.check()
        try database.transaction { () throws(HistoryError) in
            for target in targets {
                try set.bind(1, target.settings.id)
                try set.bind(2, Int64(clamping: target.number))
                try set.bind(3, utf8: target.declaration)
                try set.step()
            }
            if let id {
                try remove.bind(1, id)
                try remove.step()
            }
            if let imported {
                let mark = try database.prepare("INSERT OR REPLACE INTO meta VALUES('imported', ?1)")
                try mark.bind(1, imported)
                try mark.step()
            }
            try file.before(.commit)
        }
    }
}

/// The path of a ``DeclarationStore``, and of the file whose targets it imports.
struct DeclarationFile: Sendable {
    /// The steps of a change and of an import, in order; tests make one of them fail, or the process end there.
    enum Step: Sendable, CaseIterable {
        case open, begin, commit, keepImported
    }

    /// The path from the root.
    let path: String
    /// A JSON file of an earlier version; nil for none.
    let imported: StateFile?
    /// Called before each step; its error is the step's.
    var before: @Sendable (Step) throws(HistoryError) -> Void = { _ throws(HistoryError) in }

    init(_ path: String, importing: String? = nil) {
        self.path = path
        imported = importing.map(StateFile.init)
    }
}

/// A target declared through the API.
struct APITarget: Sendable {
    /// Its position among the others.
    let number: UInt64
    /// The declaration, as stored and patched: JSON on one line, with its id.
    let declaration: [UInt8]
    /// The settings made from it.
    let settings: TargetSettings
}
