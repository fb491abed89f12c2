// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import History
import LinuxIO
import Schema

/// Reads the tables of Uptime Kuma's database, versions 1 and 2.
enum KumaDatabase {
    /// The tables that are read, with how many rows each may have.
    private static let tables: [(name: String, rows: Int)] = [
        ("monitor", 20_000), ("tag", 20_000), ("monitor_tag", 200_000), ("notification", 10_000),
        ("monitor_notification", 400_000), ("proxy", 10_000), ("maintenance", 10_000), ("monitor_maintenance", 200_000),
        ("status_page", 1_000), ("group", 10_000), ("monitor_group", 200_000), ("setting", 10_000),
    ]
    /// The columns of no use here: large, or secrets of Uptime Kuma itself.
    private static let ignored: Set<String> = ["icon", "custom_css", "created_date", "modified_date", "user_id"]
    /// How many bytes all values may have.
    private static let maximumBytes = 64 << 20

    /// Reads a file.
    ///
    /// - Returns: A mapping from the tables to lists of rows.
    /// - Throws: ``ConfigurationDiagnostics`` for a file that cannot be read, or is another program's.
    static func read(_ path: String) throws(ConfigurationDiagnostics) -> YAMLNode {
        let file = try ForeignDatabase(path)
        var pairs: [YAMLNode.Pair] = []
        var bytes = maximumBytes
        do throws(HistoryError) {
            for table in tables {
                guard let rows = try rows(file.database, table.name, table.rows, &bytes) else { continue }
                pairs.append(YAMLNode.Pair(key: node(table.name), value: YAMLNode(.sequence(rows), position: .start)))
            }
        } catch {
            throw ForeignDatabase.diagnostics(error, path)
        }
        guard pairs.first?.key.text == "monitor" else {
            let words = "the database has no table monitor, so it is not Uptime Kuma's"
            throw ConfigurationDiagnostics([.init(.invalidValue, at: .file(path, nil), words)])
        }
        return YAMLNode(.mapping(pairs), position: .start)
    }

    /// The rows of a table; nil if there is no such table. A view, or a table that calls other code, is none.
    private static func rows(
        _ database: SQLiteDatabase,
        _ table: String,
        _ limit: Int,
        _ bytes: inout Int
    ) throws(HistoryError) -> [YAMLNode]? {
        let schema = try database.prepare(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1 AND sql LIKE 'CREATE TABLE%' LIMIT 1"
        )
        try schema.bind(1, table)
        guard try schema.step() else { return nil }
        schema.reset()
        let statement = try database.prepare("SELECT * FROM \"\(table)\" LIMIT \(limit + 1)")
        let columns = statement.columns.map { (name: $0, key: node($0)) }
        var rows: [YAMLNode] = []
        while try statement.step() {
            var pairs: [YAMLNode.Pair] = []
            for (index, column) in columns.enumerated() where !ignored.contains(column.name) {
                guard let value = statement.text(Int32(index)) else { continue }
                bytes -= value.utf8.count + 64
                pairs.append(YAMLNode.Pair(key: column.key, value: node(value)))
            }
            guard bytes >= 0, rows.count < limit else {
                throw HistoryError(.other, "the table \(table) has too many or too long rows")
            }
            rows.append(YAMLNode(.mapping(pairs), position: .start))
        }
        return rows
    }

    private static func node(_ text: String) -> YAMLNode { YAMLNode(.scalar(text, isPlain: false), position: .start) }
}
