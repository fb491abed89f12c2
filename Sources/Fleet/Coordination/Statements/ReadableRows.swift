// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// The readable rows of a result, and how many were not.
struct ReadableRows<Row> {
    private(set) var rows: [Row] = []
    /// How many rows were skipped, because another program had written what cannot be read.
    private(set) var skipped = 0

    /// Reads all rows.
    init(_ result: DatabaseRows, _ read: (DatabaseRows, Int) throws(DatabaseError) -> Row?) {
        rows.reserveCapacity(result.rowCount)
        for index in 0..<result.rowCount {
            if let row = try? read(result, index) { rows.append(row) } else { skipped += 1 }
        }
    }
}
