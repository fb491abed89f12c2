// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CSQLite
package import LinuxIO

/// One connection to an SQLite file.
///
/// Used by one thread at a time: the owner keeps it on one thread or behind a lock. Closed when it goes, after its
/// statements, which keep it alive.
///
/// Unchecked because of that rule, which no type can say; the library itself is opened without its own locks.
@safe package final class SQLiteDatabase: @unchecked Sendable {
    /// What a connection may do.
    package enum Mode: Sendable, Hashable {
        /// Reads a file that no process changes meanwhile, without locks and without files beside it; a write-ahead log is ignored.
        case immutable
        /// Reads; the file must be there.
        case readOnly
        /// Reads and writes; the file must be there.
        case readWrite
        /// Reads and writes; the file is made when it is not there.
        case create
    }

    /// The file's path.
    package let path: String
    let handle: OpaquePointer

    /// Opens a connection. A file is only looked at when it is first read from or written to.
    ///
    /// - Parameters:
    ///   - path: the file's; `:memory:` for none.
    ///   - mode: what the connection may do.
    ///   - patience: how long to wait for another connection's lock before it is an error, in milliseconds.
    /// - Throws: ``HistoryError`` with the code of what `sqlite3_open_v2` reports.
    package init(path: String, mode: Mode, patience: Int32 = 1000) throws(HistoryError) {
        let flags: Int32 =
            switch mode {
            case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        var opened: OpaquePointer?
        let name = mode == .immutable ? "file:\(Self.escaped(path))?immutable=1" : path
        let result = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let connection = unsafe opened else {
            let error = unsafe HistoryError(result: result, connection: opened, operation: "open \(path)")
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        self.path = path
        unsafe handle = connection
        unsafe sqlite3_busy_timeout(connection, patience)
    }

    deinit {
        // Statements that are left keep the connection until they go.
        unsafe sqlite3_close_v2(handle)
    }

    /// The path of a URI in which `%`, `?` and `#` are themselves; it has no host.
    private static func escaped(_ path: String) -> String {
        let text = path.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
            .split(separator: "?", omittingEmptySubsequences: false).joined(separator: "%3f")
            .split(separator: "#", omittingEmptySubsequences: false).joined(separator: "%23")
        return path.hasPrefix("/") ? "//" + text : text
    }

    /// Prepares for a file of another program, which may be damaged or made to do harm: what its schema calls is restricted, and
    /// a longer value is an error.
    ///
    /// - Parameter bytes: how long a value may be.
    package func distrust(values bytes: Int32) throws(HistoryError) {
        unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, bytes)
        try execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    }

    /// Runs one or several statements without parameters and ignores their rows.
    package func execute(_ sql: String) throws(HistoryError) {
        let result = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, sql) }
    }

    /// Compiles one statement.
    ///
    /// - Parameter isKept: whether it will be used often; a hint.
    package func prepare(_ sql: String, isKept: Bool = false) throws(HistoryError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let flags: UInt32 = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let result = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
        guard result == SQLITE_OK, let statement = unsafe statement else { throw error(result, sql) }
        return unsafe SQLiteStatement(statement, of: self)
    }

    /// The first column of the first row; nil without a row, or when it is NULL.
    package func integer(_ sql: String) throws(HistoryError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row; nil without a row, or when it is NULL.
    package func text(_ sql: String) throws(HistoryError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs a body as one transaction that may write: all of it or, when it throws, nothing of it.
    package func transaction<Value>(_ body: () throws(HistoryError) -> Value) throws(HistoryError) -> Value {
        try execute("BEGIN IMMEDIATE")
        do throws(HistoryError) {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // Some failures roll back by themselves; then this fails, which is harmless.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Rows that the last statement changed.
    package var changes: Int { unsafe Int(sqlite3_changes64(handle)) }

    func error(_ result: Int32, _ operation: String) -> HistoryError {
        unsafe HistoryError(result: result, connection: handle, operation: String(operation.prefix(80)))
    }
}

extension SystemLibrary {
    /// What the event log is kept with.
    package static var sqlite: SystemLibrary {
        SystemLibrary(
            "SQLite",
            version: unsafe String(cString: sqlite3_libversion()),
            supported: [Series("3.40", "3.46")]
        )
    }
}
