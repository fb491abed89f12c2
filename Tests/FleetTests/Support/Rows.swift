// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

@testable import PostgreSQL

/// Results of imitated statements.
enum Rows {
    /// The server of an imitated connection.
    static let server = DatabaseServer(
        version: 150_000,
        host: "imitated",
        address: nil,
        port: 5_432,
        usesTLS: false,
        isInRecovery: false
    )

    /// Rows from texts; nil is NULL.
    static func make(_ rows: [[String?]]) -> DatabaseRows {
        var result = DatabaseRows()
        for row in rows {
            result.beginRow(columns: row.count)
            for value in row {
                if let value {
                    let bytes = Array(value.utf8)
                    unsafe bytes.withUnsafeBufferPointer { unsafe result.append($0) }
                } else {
                    unsafe result.append(nil)
                }
            }
        }
        result.end(columns: rows.first?.count ?? 0, affectedRows: rows.count)
        return result
    }
}
