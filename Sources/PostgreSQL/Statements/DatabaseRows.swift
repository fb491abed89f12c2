// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The rows of a result. Another program may have written them: an accessor throws `unexpected_answer` when a value is absent, NULL
/// or of another form than asked for.
package struct DatabaseRows: Sendable {
    /// How many rows there are.
    package private(set) var rowCount = 0
    /// How many columns each has.
    package private(set) var columnCount = 0
    /// How many rows the statement inserted, updated, deleted or returned; 0 when it does none of these.
    package private(set) var affectedRows = 0

    private var bytes: [UInt8] = []
    /// Where each value begins, row by row; -1 for a NULL.
    private var starts: [Int] = []
    /// Where it ends.
    private var ends: [Int] = []

    /// Creates an empty result.
    init() {}

    // MARK: Filling

    /// How many bytes the values use, with a constant for each.
    var size: Int { bytes.count + starts.count * Self.valueCost }

    /// The cost of a value without its bytes: an empty one still uses memory.
    static let valueCost = 16

    /// Begins a row.
    mutating func beginRow(columns: Int) {
        columnCount = columns
        rowCount += 1
    }

    /// Appends a value to the row; nil for a NULL.
    mutating func append(_ value: UnsafeBufferPointer<UInt8>?) {
        guard let value = unsafe value else {
            starts.append(-1)
            return ends.append(-1)
        }
        starts.append(bytes.count)
        unsafe bytes.append(contentsOf: value)
        ends.append(bytes.count)
    }

    /// Records the form of a result without rows, and the command's count.
    mutating func end(columns: Int, affectedRows: Int) {
        if rowCount == 0 { columnCount = columns }
        self.affectedRows = affectedRows
    }

    // MARK: Reading

    /// Whether a value is NULL.
    package func isNull(_ row: Int, _ column: Int) throws(DatabaseError) -> Bool { try find(row, column) == nil }

    /// A text; invalid UTF-8 is an error.
    package func text(_ row: Int, _ column: Int) throws(DatabaseError) -> String {
        try required(optionalText(row, column), row, column)
    }

    /// A text, or nil for NULL.
    package func optionalText(_ row: Int, _ column: Int) throws(DatabaseError) -> String? {
        try read(row, column, "valid UTF-8") { String(validating: $0, as: UTF8.self) }
    }

    /// An integer of at most 64 bits.
    package func integer(_ row: Int, _ column: Int) throws(DatabaseError) -> Int64 {
        try required(optionalInteger(row, column), row, column)
    }

    /// An integer of at most 64 bits, or nil for NULL.
    package func optionalInteger(_ row: Int, _ column: Int) throws(DatabaseError) -> Int64? {
        try read(row, column, "a 64-bit integer", ValueText.integer)
    }

    /// A floating-point number, NaN and infinities included.
    package func double(_ row: Int, _ column: Int) throws(DatabaseError) -> Double {
        try required(optionalDouble(row, column), row, column)
    }

    /// A floating-point number, or nil for NULL.
    package func optionalDouble(_ row: Int, _ column: Int) throws(DatabaseError) -> Double? {
        try read(row, column, "a number", ValueText.double)
    }

    /// A boolean.
    package func bool(_ row: Int, _ column: Int) throws(DatabaseError) -> Bool {
        try required(optionalBool(row, column), row, column)
    }

    /// A boolean, or nil for NULL.
    package func optionalBool(_ row: Int, _ column: Int) throws(DatabaseError) -> Bool? {
        try read(row, column, "a boolean", ValueText.bool)
    }

    /// The bytes of a `bytea` in hexadecimal form, the server's default (`bytea_output`).
    package func bytes(_ row: Int, _ column: Int) throws(DatabaseError) -> [UInt8] {
        try required(optionalBytes(row, column), row, column)
    }

    /// The bytes of a `bytea`, or nil for NULL.
    package func optionalBytes(_ row: Int, _ column: Int) throws(DatabaseError) -> [UInt8]? {
        try read(row, column, "a bytea in hexadecimal form", ValueText.bytes)
    }

    /// An array of integers; nil elements are NULL.
    package func integers(_ row: Int, _ column: Int) throws(DatabaseError) -> [Int64?] {
        try array(row, column, "an array of 64-bit integers", ValueText.integer)
    }

    /// An array of booleans; nil elements are NULL.
    package func booleans(_ row: Int, _ column: Int) throws(DatabaseError) -> [Bool?] {
        try array(row, column, "an array of booleans", ValueText.bool)
    }

    /// An array of floating-point numbers; nil elements are NULL.
    package func doubles(_ row: Int, _ column: Int) throws(DatabaseError) -> [Double?] {
        try array(row, column, "an array of numbers", ValueText.double)
    }

    /// An array of texts; nil elements are NULL.
    package func texts(_ row: Int, _ column: Int) throws(DatabaseError) -> [String?] {
        try array(row, column, "an array of texts") { String(validating: $0, as: UTF8.self) }
    }

    /// An array of `bytea`; nil elements are NULL.
    package func byteArrays(_ row: Int, _ column: Int) throws(DatabaseError) -> [[UInt8]?] {
        try array(row, column, "an array of bytea", ValueText.bytes)
    }

    private func find(_ row: Int, _ column: Int) throws(DatabaseError) -> ArraySlice<UInt8>? {
        guard row >= 0, row < rowCount, column >= 0, column < columnCount else {
            throw DatabaseError(
                .unexpectedAnswer,
                "the result has no row \(row), column \(column) (rows: \(rowCount), columns: \(columnCount))"
            )
        }
        let index = row * columnCount + column
        return starts[index] < 0 ? nil : bytes[starts[index]..<ends[index]]
    }

    private func read<Value>(
        _ row: Int,
        _ column: Int,
        _ form: String,
        _ parse: (ArraySlice<UInt8>) -> Value?
    ) throws(DatabaseError) -> Value? {
        guard let found = try find(row, column) else { return nil }
        guard let value = parse(found) else {
            throw DatabaseError(.unexpectedAnswer, "row \(row), column \(column) is not \(form)")
        }
        return value
    }

    private func array<Element>(
        _ row: Int,
        _ column: Int,
        _ form: String,
        _ parse: (ArraySlice<UInt8>) -> Element?
    ) throws(DatabaseError) -> [Element?] {
        try required(read(row, column, form) { ArrayLiteral.elements(of: $0, parse) }, row, column)
    }

    private func required<Value>(_ value: Value?, _ row: Int, _ column: Int) throws(DatabaseError) -> Value {
        guard let value else { throw DatabaseError(.unexpectedAnswer, "row \(row), column \(column) is NULL") }
        return value
    }
}
