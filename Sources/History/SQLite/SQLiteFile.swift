// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
package import Monitoring

/// What all files that reachd writes with SQLite have in common: only the owner reads them, a write-ahead log, and that one which
/// is damaged is kept beside.
package enum SQLiteFile {
    /// When a commit is on the disk (`PRAGMA synchronous`).
    package enum Synchronization: String {
        /// At a checkpoint: the newest commits can be lost when the machine loses power, never the file.
        case normal = "NORMAL"
        /// When it returns.
        case full = "FULL"
    }

    /// Opens a file, or makes one; no other process may write it.
    ///
    /// - Throws: ``HistoryError``, also for a file of a later version or of another program.
    package static func open(
        _ path: String,
        schema: SQLiteSchema,
        synchronization: Synchronization
    ) throws(HistoryError) -> SQLiteDatabase {
        // SQLite would let everybody read it. One that exists is not opened here: to close it would give up the locks that
        // another connection of this process has on it.
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Glibc.close(descriptor) }
        let database = try SQLiteDatabase(path: path, mode: .create, patience: 5000)
        // Only a file that is still empty takes the first of these; they are in this order for a reason.
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        guard try database.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw HistoryError(.cannotOpen, "\(path): its file system has no shared memory for a write-ahead log")
        }
        try database.execute(
            """
            PRAGMA synchronous = \(synchronization.rawValue); PRAGMA cache_size = -1024;
            PRAGMA journal_size_limit = 16777216
            """
        )
        try schema.migrate(database)
        return database
    }

    /// Renames a file and what belongs to it.
    ///
    /// - Parameter now: the time, for the name.
    /// - Returns: The other name; nil when there is no such file.
    package static func setAside(_ path: String, at now: Timestamp) throws(HistoryError) -> String? {
        let stem = "\(path).corrupt-\(now)"
        var aside = stem
        var number = 1
        while unsafe access(aside, F_OK) == 0 {
            number += 1
            aside = "\(stem)-\(number)"
        }
        do throws(SystemError) {
            _ = try systemCall("rename(\(path))") { unsafe rename(path, aside) }
        } catch {
            if error.code == ENOENT { return nil }
            throw HistoryError(error)
        }
        // What it had not taken over yet goes with it; the index is made anew from that.
        unsafe rename("\(path)-wal", "\(aside)-wal")
        unsafe unlink("\(path)-shm")
        return aside
    }
}

/// Whether a file is still the one that was opened: a removed file still accepts writes, and loses them.
package struct FilePosition: Sendable {
    private let files: [(path: String, identity: FileIdentity)]

    /// Remembers a file, and its write-ahead log if there is one.
    package init(_ path: String) {
        files = [path, "\(path)-wal"].compactMap { path in FileIdentity(path: path).map { (path, $0) } }
    }

    /// - Throws: ``HistoryError/Code/removed``.
    package func check() throws(HistoryError) {
        for (path, identity) in files where FileIdentity(path: path) != identity {
            throw HistoryError(.removed, "\(path) was removed or replaced while it was in use")
        }
    }
}

/// Whether the numbers of a file are ones that reachd could have written, so that the arithmetic on them cannot overflow.
///
/// A file can be damaged without SQLite noticing, or edited by hand. This looks at the ends of the indexed columns and at the
/// small tables, and costs the same for a file of any size; the content of a row is checked when it is read
/// (``SQLiteEventRow/event(_:)``).
enum SQLiteFileCheck {
    /// The largest number of an event: half of what a column holds, so that one can always be added.
    static let largestSequence = Int64.max / 2
    /// The last millisecond of the year 9999, and as far back.
    static let latestMillisecond: Int64 = 253_402_300_799_999

    /// - Throws: ``HistoryError/Code/corrupt`` with what is wrong.
    static func check(_ database: SQLiteDatabase) throws(HistoryError) {
        for (sql, words) in rules {
            guard try database.integer("SELECT EXISTS(\(sql))") == 0 else {
                throw HistoryError(.corrupt, "\(database.path): \(words)")
            }
        }
    }

    /// Each selects what must not be.
    private static let rules: [(sql: String, words: String)] = [
        ("SELECT 1 FROM (SELECT min(sequence) AS n FROM events) WHERE n < 1", "an event has a number below 1"),
        (
            "SELECT 1 FROM (SELECT max(sequence) AS n FROM events) WHERE n > \(largestSequence)",
            "an event has a number above \(largestSequence)"
        ),
        (
            """
            SELECT 1 FROM meta WHERE name IN ('head', 'rollup_bytes', 'rollup_trimmed_day')
            AND (typeof(value) <> 'integer' OR value NOT BETWEEN -\(largestSequence) AND \(largestSequence))
            """, "a number in the table meta is invalid or too large"
        ),
        ("SELECT 1 FROM meta WHERE name = 'head' AND value < 0", "the number of the newest event is below 0"),
        (
            """
            SELECT 1 FROM gaps WHERE typeof(first) <> 'integer' OR typeof(last) <> 'integer'
            OR first < 1 OR last < first OR last > \(largestSequence)
            """, "a gap has invalid event numbers"
        ),
        (
            "SELECT 1 FROM (SELECT max(number) AS n FROM rollup_targets) WHERE n > \(largestSequence)",
            "a target has a number above \(largestSequence)"
        ),
        (
            """
            SELECT 1 FROM rollup_unfolded WHERE typeof(start) <> 'integer'
            OR start NOT BETWEEN -\(buckets(.hour)) AND \(buckets(.hour))
            """, "an hour or a day has an invalid number"
        ),
        (
            """
            SELECT 1 FROM (SELECT min(start) AS a FROM rollup_minutes), (SELECT max(start) AS b FROM rollup_minutes)
            WHERE b IS NOT NULL AND (typeof(a) <> 'integer' OR typeof(b) <> 'integer'
            OR a < -\(buckets(.minute)) OR b > \(buckets(.minute)))
            """, "a minute has an invalid number"
        ),
    ]

    private static func buckets(_ resolution: RollupResolution) -> Int64 { latestMillisecond / resolution.length + 1 }
}
