// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Small records of one kind in a log's file: a row of the table `meta` for each, named by the kind and the record.
struct SQLiteMetaRows {
    /// The kind: the beginning of the rows' names.
    let kind: String
    /// The maximum number of rows that are read, and of bytes of each.
    let maximumRows: Int
    private static let maximumLength = 64 << 10

    /// The rows in the file, by their names.
    private var rows: [String: [UInt8]] = [:]

    init(_ kind: String, maximumRows: Int) {
        (self.kind, self.maximumRows) = (kind, maximumRows)
    }

    /// Reads all records.
    mutating func read(_ database: SQLiteDatabase) throws(HistoryError) -> [[UInt8]] {
        let select = try database.prepare(
            "SELECT name, value FROM meta WHERE name >= ?1 AND name < ?2 AND length(value) <= \(Self.maximumLength) LIMIT \(maximumRows)"
        )
        try select.bind(1, kind + ":")
        try select.bind(2, kind + ";")
        rows = [:]
        while try select.step() {
            guard let name = select.text(0) else { continue }
            rows[name] = select.bytes(1) ?? []
        }
        return Array(rows.values)
    }

    /// Writes the records that differ from the file, and removes the rows of others, also damaged ones, in one transaction.
    mutating func write(_ records: [(name: String, bytes: [UInt8])], to database: SQLiteDatabase) throws(HistoryError) {
        let new = Dictionary(records.map { ("\(kind):\($0.name)", $0.bytes) }) { first, _ in first }
        let old = rows
        guard new != old else { return }
        try database.transaction { () throws(HistoryError) in
            let set = try database.prepare("INSERT OR REPLACE INTO meta VALUES(?1, ?2)")
            for (name, bytes) in new where old[name] != bytes {
                try set.bind(1, name)
                try set.bind(2, bytes: bytes)
                try set.run()
            }
            let remove = try database.prepare("DELETE FROM meta WHERE name = ?1")
            for name in old.keys where new[name] == nil {
                try remove.bind(1, name)
                try remove.run()
            }
        }
        rows = new
    }
}
