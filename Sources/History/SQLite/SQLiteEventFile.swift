// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import LinuxIO
package import Monitoring
import Synchronization

/// The place of a log, and the right to write it: one process at a time has it.
package final class SQLiteEventFile: Sendable {
    /// The file's path.
    package let path: String
    private let schema: SQLiteSchema
    private let lock = Mutex<FileLock?>(nil)

    /// Names a place; nothing is opened yet.
    package convenience init(path: String) {
        self.init(path: path, schema: .current)
    }

    init(path: String, schema: SQLiteSchema) {
        self.path = path
        self.schema = schema
    }

    /// Opens the log that is there, or makes one.
    ///
    /// - Parameters:
    ///   - isCorrupt: whether it is known not to be usable; then, and when it shows now, it is kept under another name, and a
    ///     new one is made.
    ///   - now: the time, for that name.
    /// - Throws: ``HistoryError``; among its codes ``HistoryError/Code/locked`` for another process's, and
    ///   ``HistoryError/Code/tooNew`` and ``HistoryError/Code/foreign``, whose files are left alone.
    package func open(isCorrupt: Bool = false, now: Timestamp) throws(HistoryError) -> OpenedStore {
        try take()
        var aside: String?
        if isCorrupt { aside = try SQLiteFile.setAside(path, at: now) }
        do throws(HistoryError) {
            return OpenedStore(store: try SQLiteEventStore(path: path, schema: schema), setAside: aside)
        } catch {
            guard error.code == .corrupt, aside == nil else { throw error }
            aside = try SQLiteFile.setAside(path, at: now)
            return OpenedStore(store: try SQLiteEventStore(path: path, schema: schema), setAside: aside)
        }
    }

    private func take() throws(HistoryError) {
        // Typed errors do not come through the lock's closure.
        let outcome = lock.withLock { lock -> Result<Void, HistoryError> in
            if let lock, lock.isInPlace { return .success(()) }
            do throws(FileLockError) {
                lock = try FileLock(of: path)
                return .success(())
            } catch {
                return .failure(HistoryError(error))
            }
        }
        try outcome.get()
    }
}

extension HistoryError {
    fileprivate init(_ error: FileLockError) {
        switch error {
        case .held: self.init(.locked, "\(error)")
        case .system(let error): self.init(error)
        }
    }

    /// What the system refused, as a failure of the log.
    init(_ error: SystemError) {
        let code: Code =
            switch error.code {
            case ENOSPC, EDQUOT: .full
            case EROFS: .readOnly
            case EIO: .inputOutput
            case ENOMEM: .noMemory
            default: .cannotOpen
            }
        self.init(code, "\(error)")
    }
}
