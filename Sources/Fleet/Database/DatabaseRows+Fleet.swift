// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// Values with the ranges that the fleet's tables have.
extension DatabaseRows {
    /// A version, a sequence number or a count: not negative.
    func count(_ row: Int, _ column: Int) throws(DatabaseError) -> Int64 {
        let value = try integer(row, column)
        guard value >= 0 else { throw Self.outOfRange(row, column, "\(value)") }
        return value
    }

    /// An instant since the Unix epoch in the years 1970 to 9999.
    func instant(_ row: Int, _ column: Int) throws(DatabaseError) -> Duration {
        let value = try integer(row, column)
        guard 0..<253_402_300_800_000_000 ~= value else { throw Self.outOfRange(row, column, "\(value)") }
        return Duration(microseconds: value)
    }

    /// A name or an epoch: 1 to 200 bytes.
    func shortText(_ row: Int, _ column: Int) throws(DatabaseError) -> String {
        let value = try text(row, column)
        guard 1...200 ~= value.utf8.count else { throw Self.outOfRange(row, column, "\(value.utf8.count) bytes") }
        return value
    }

    /// The position of a node's reports.
    func position(_ row: Int, _ column: Int) throws(DatabaseError) -> LocalPosition {
        let value = try integer(row, column)
        guard let position = LocalPosition(stored: value) else { throw Self.outOfRange(row, column, "\(value)") }
        return position
    }

    private static func outOfRange(_ row: Int, _ column: Int, _ value: String) -> DatabaseError {
        DatabaseError(.unexpectedAnswer, "row \(row), column \(column) is out of range: \(value)")
    }
}
