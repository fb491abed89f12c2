// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
import Monitoring

/// Copies of a log that others may be writing, in this process or another.
package enum SQLiteBackup {
    /// Copies everything that is safe at this moment.
    ///
    /// - Parameters:
    ///   - source: the log's file.
    ///   - target: the new file; its folder must be there, and it must not. Until it is whole it has another name.
    package static func copy(_ source: String, to target: String) throws(HistoryError) {
        let partial = target + ".partial"
        guard unsafe access(target, F_OK) != 0 else {
            throw HistoryError(.cannotOpen, "\(target) already exists")
        }
        // Files of an earlier attempt are not in use.
        unsafe unlink(partial)
        do throws(HistoryError) {
            let database = try SQLiteDatabase(path: source, mode: .readWrite, patience: 5000)
            guard try database.integer("PRAGMA application_id") == SQLiteSchema.applicationID else {
                throw HistoryError(.foreign, "\(source) is not an event log of reachd")
            }
            // SQLite takes a file that is empty, and would make one that everybody may read.
            let descriptor = unsafe Glibc.open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw HistoryError(SystemError(code: errno, operation: "open(\(partial))")) }
            Glibc.close(descriptor)
            let copy = try database.prepare("VACUUM INTO ?1")
            try copy.bind(1, partial)
            try copy.run()
            try rename(partial)
        } catch {
            unsafe unlink(partial)
            throw error
        }
        do throws(SystemError) {
            _ = try systemCall("link(\(target))") { unsafe link(partial, target) }
        } catch {
            unsafe unlink(partial)
            throw HistoryError(error)
        }
        unsafe unlink(partial)
    }

    /// Gives a copy its own identity and epoch, and brings it to the disk.
    private static func rename(_ path: String) throws(HistoryError) {
        let copy = try SQLiteDatabase(path: path, mode: .readWrite)
        try copy.execute("PRAGMA synchronous = FULL")
        try copy.transaction { () throws(HistoryError) in
            for name in ["identity", "epoch"] {
                try copy.execute("UPDATE meta SET value = '\(EventID.randomEpoch())' WHERE name = '\(name)'")
            }
        }
    }
}
