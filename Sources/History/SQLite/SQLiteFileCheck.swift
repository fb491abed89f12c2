// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Whether the numbers of a file are ones that reachd could have written, so that the arithmetic on them cannot overflow.
///
/// A file can be damaged without SQLite noticing, or edited by hand. This looks at the ends of the indexed columns and at the
/// small tables, and costs the same for a file of any size; the content of a row is checked when it is read
/// (``SQLiteEventRow/event(_:)``).
enum SQLiteFileCheck {
    /// The largest number of an event: half of what a column holds, so that one can always be added.
    static let largestSequence = Int64.max / 2
    /// The last millisecond of the year 9999, and as far back.
    static let latestMillisecond: Int64 = 253_402_300_799_999

    /// - Throws: ``HistoryError/Code/corrupt`` with what is wrong.
    static func check(_ database: SQLiteDatabase) throws(HistoryError) {
        for (sql, words) in rules {
            guard try database.integer("SELECT EXISTS(\(sql))") == 0 else {
                throw HistoryError(.corrupt, "\(database.path): \(words)")
            }
        }
    }

    /// Each selects what must not be.
    private static let rules: [(sql: String, words: String)] = [
        ("SELECT 1 FROM (SELECT min(sequence) AS n FROM events) WHERE n < 1", "an event has a number below 1"),
        (
            "SELECT 1 FROM (SELECT max(sequence) AS n FROM events) WHERE n > \(largestSequence)",
            "an event has a number above \(largestSequence)"
        ),
        (
            """
            SELECT 1 FROM meta WHERE name IN ('head', 'rollup_bytes', 'rollup_trimmed_day')
            AND (typeof(value) <> 'integer' OR value NOT BETWEEN -\(largestSequence) AND \(largestSequence))
            """, "a number of the table meta is not one, or too large"
        ),
        ("SELECT 1 FROM meta WHERE name = 'head' AND value < 0", "the number of the newest event is below 0"),
        (
            """
            SELECT 1 FROM gaps WHERE typeof(first) <> 'integer' OR typeof(last) <> 'integer'
            OR first < 1 OR last < first OR last > \(largestSequence)
            """, "a gap has numbers that no events can have"
        ),
        (
            "SELECT 1 FROM (SELECT max(number) AS n FROM rollup_targets) WHERE n > \(largestSequence)",
            "a target has a number above \(largestSequence)"
        ),
        (
            """
            SELECT 1 FROM rollup_unfolded WHERE typeof(start) <> 'integer'
            OR start NOT BETWEEN -\(buckets(.hour)) AND \(buckets(.hour))
            """, "an hour or a day has no possible number"
        ),
        (
            """
            SELECT 1 FROM (SELECT min(start) AS a FROM rollup_minutes), (SELECT max(start) AS b FROM rollup_minutes)
            WHERE b IS NOT NULL AND (typeof(a) <> 'integer' OR typeof(b) <> 'integer'
            OR a < -\(buckets(.minute)) OR b > \(buckets(.minute)))
            """, "a minute has no possible number"
        ),
    ]

    private static func buckets(_ resolution: RollupResolution) -> Int64 { latestMillisecond / resolution.length + 1 }
}
