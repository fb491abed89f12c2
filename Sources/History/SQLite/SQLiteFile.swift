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
