// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CSQLite

/// A compiled statement: parameters go in, rows come out. Used by the thread that uses its connection.
///
/// Parameters are numbered from 1, columns from 0, as SQLite does. Unchecked because its connection's rule is its own.
@safe package final class SQLiteStatement: @unchecked Sendable {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase

    init(_ handle: OpaquePointer, of database: SQLiteDatabase) {
        unsafe self.handle = handle
        self.database = database
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    // MARK: Parameters

    /// Sets a parameter to a number, or to NULL.
    package func bind(_ index: Int32, _ value: Int64?) throws(HistoryError) {
        if let value {
            try check(unsafe sqlite3_bind_int64(handle, index, value))
        } else {
            try check(unsafe sqlite3_bind_null(handle, index))
        }
    }

    /// Sets a parameter to a fraction, or to NULL.
    package func bind(_ index: Int32, _ value: Double?) throws(HistoryError) {
        if let value {
            try check(unsafe sqlite3_bind_double(handle, index, value))
        } else {
            try check(unsafe sqlite3_bind_null(handle, index))
        }
    }

    /// Sets a parameter to a text, or to NULL.
    package func bind(_ index: Int32, _ value: String?) throws(HistoryError) {
        guard var value else { return try check(unsafe sqlite3_bind_null(handle, index)) }
        let result = value.withUTF8 { text in
            unsafe reachd_sqlite_bind_text(handle, index, text.baseAddress, Int32(clamping: text.count))
        }
        try check(result)
    }

    /// Sets a parameter to a text given as its UTF-8.
    package func bind(_ index: Int32, utf8 value: [UInt8]) throws(HistoryError) {
        let result = unsafe value.withUnsafeBytes { bytes in
            unsafe reachd_sqlite_bind_text(handle, index, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        try check(result)
    }

    /// Sets a parameter to bytes.
    package func bind(_ index: Int32, bytes value: [UInt8]) throws(HistoryError) {
        let result = unsafe value.withUnsafeBytes { bytes in
            unsafe reachd_sqlite_bind_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        try check(result)
    }

    // MARK: Running

    /// Goes on to the next row.
    ///
    /// - Returns: Whether there is one; at the end the statement is as new but for its parameters.
    @discardableResult
    package func step() throws(HistoryError) -> Bool {
        let result = unsafe sqlite3_step(handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        default:
            let error = database.error(result, unsafe String(cString: sqlite3_sql(handle)))
            reset()
            throw error
        }
    }

    /// Runs the statement to its end, whatever rows it has.
    package func run() throws(HistoryError) {
        while try step() {}
    }

    /// Gives up the rows that are left, so that no lock outlives them; parameters stay.
    package func reset() {
        // Its result repeats that of the last step.
        _ = unsafe sqlite3_reset(handle)
    }

    // MARK: The row

    /// The names of the columns.
    package var columns: [String] {
        let count = unsafe sqlite3_column_count(handle)
        return (0..<count).map { column in
            unsafe sqlite3_column_name(handle, column).map { unsafe String(cString: $0) } ?? ""
        }
    }

    /// A column as a number; nil for NULL.
    package func integer(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : unsafe sqlite3_column_int64(handle, column)
    }

    /// A column as a fraction; nil for NULL.
    package func fraction(_ column: Int32) -> Double? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : unsafe sqlite3_column_double(handle, column)
    }

    /// A column as a text; nil for NULL. Invalid UTF-8 is repaired.
    package func text(_ column: Int32) -> String? {
        bytes(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A column's bytes, of a text its UTF-8; nil for NULL.
    package func bytes(_ column: Int32) -> [UInt8]? {
        guard unsafe sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
        // The pointer first: it may convert the value, and the count is of what it converts to.
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private func check(_ result: Int32) throws(HistoryError) {
        guard result == SQLITE_OK else {
            throw database.error(result, unsafe String(cString: sqlite3_sql(handle)))
        }
    }
}
