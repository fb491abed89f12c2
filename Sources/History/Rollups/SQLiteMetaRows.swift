// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// The log of uplinks in a log's file: one row of the table `meta` for each uplink.
struct SQLiteUplinkTable {
    /// The maximum number of rows that are read, and of bytes of each.
    private static let maximumRows = 64
    private static let maximumLength = 64 << 10

    /// The rows in the file, by their names.
    private var rows: [String: [UInt8]] = [:]

    /// Reads all records; rows that are damaged are skipped and removed by the next ``write(_:to:)``.
    mutating func read(_ database: SQLiteDatabase) throws(HistoryError) -> [Uplink] {
        let select = try database.prepare(
            """
            SELECT name, value FROM meta WHERE name >= 'uplink:' AND name < 'uplink;' AND length(value) <= \(Self.maximumLength)
            LIMIT \(Self.maximumRows)
            """
        )
        var uplinks: [Uplink] = []
        rows = [:]
        while try select.step() {
            guard let name = select.text(0) else { continue }
            let bytes = select.bytes(1) ?? []
            rows[name] = bytes
            if let uplink = Uplink(stored: bytes) { uplinks.append(uplink) }
        }
        return uplinks
    }

    /// Writes the records that differ from the file, and removes the rows of others, in one transaction.
    mutating func write(_ uplinks: [Uplink], to database: SQLiteDatabase) throws(HistoryError) {
        let new = Dictionary(uplinks.map { ("uplink:\($0.id)", $0.stored) }) { first, _ in first }
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
