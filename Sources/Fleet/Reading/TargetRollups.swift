// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
internal import PostgreSQL

/// What nodes stored of a target's probes.
package struct TargetRollups: Sendable {
    /// A bucket that one node stored.
    package struct Row: Sendable, Hashable {
        /// The node's location.
        package let location: String
        /// The node's name.
        package let node: String
        /// How long the bucket is.
        package let length: RollupLength
        /// Where it begins, in milliseconds since 1970; a multiple of its length.
        package let start: Int64
        /// What is known, in the form of a node's history. It may be anything.
        package let data: [UInt8]

        /// Creates a row.
        package init(location: String, node: String, length: RollupLength, start: Int64, data: [UInt8]) {
            (self.location, self.node, self.length, self.start, self.data) = (location, node, length, start, data)
        }
    }

    /// The rows, in no order.
    package let rows: [Row]
    /// How many others could not be read.
    package let skipped: Int

    /// Creates a value.
    package init(rows: [Row], skipped: Int = 0) { (self.rows, self.skipped) = (rows, skipped) }

    /// The greatest length of a row's data; the largest bucket without connections has less than 11,000 bytes.
    static let dataLimit = 16_384
    /// The bounds of an answer for each length: rows, and bytes of data. The newest are read.
    static let rowLimit = 10_000
    static let sizeLimit = 8 << 20

    /// Reads the buckets that end within ranges; none while the fleet stores none.
    ///
    /// Hours are read where days do not suffice: in ranges shorter than a day, and at the ends of the others.
    ///
    /// - Parameters:
    ///   - target: the target's id.
    ///   - ranges: in milliseconds since 1970.
    package static func question(of target: String, in ranges: [Range<Int64>]) -> FleetQuestion<TargetRollups> {
        let first = RollupLength.day.start(of: ranges.map(\.lowerBound).min() ?? 0)
        let last = ranges.map(\.upperBound).max() ?? 0
        let statement = Statement(
            """
            WITH d AS (
              SELECT * FROM rollups WHERE target = $1::text AND length = \(RollupLength.day.stored)
                AND start >= $2::bigint AND start < $3::bigint AND month >= $4::text::date AND month <= $5::text::date
              ORDER BY start DESC LIMIT \(rowLimit)),
            h AS (
              SELECT r.* FROM unnest($6::bigint[]) AS day(start) CROSS JOIN LATERAL (
                SELECT * FROM rollups WHERE target = $1::text AND length = \(RollupLength.hour.stored)
                  AND start >= day.start AND start < day.start + \(RollupLength.day.stored)
                  AND month >= $4::text::date AND month <= $5::text::date LIMIT \(rowLimit)) r
              ORDER BY r.start DESC LIMIT \(rowLimit)),
            r AS (
              SELECT *, sum(least(octet_length(data), \(dataLimit)))
                OVER (PARTITION BY length ORDER BY start DESC ROWS UNBOUNDED PRECEDING) AS size
              FROM (SELECT * FROM d UNION ALL SELECT * FROM h) x)
            SELECT l.settings, r.location, r.node, r.length, r.start,
              CASE WHEN octet_length(r.data) <= \(dataLimit) THEN r.data END
            FROM log_head l LEFT JOIN r ON r.size <= \(sizeLimit)
            """,
            name: "target_rollups"
        )
        let parameters: [DatabaseValue] = [
            .text(target), .integer(first * 1_000), .integer(last * 1_000), .text(month(of: first)),
            .text(month(of: last)), .integers(daysOfHours(in: ranges).map { $0 * 1_000 }),
        ]
        return FleetQuestion(statement, parameters) { rows throws(DatabaseError) in
            // Without a bucket there is one row of NULLs.
            guard rows.rowCount > 0, FleetSettings(text: try rows.text(0, 0)).rollups != .off, try !rows.isNull(0, 3)
            else { return TargetRollups(rows: []) }
            let readable = ReadableRows(rows, row)
            return TargetRollups(rows: readable.rows, skipped: readable.skipped)
        }
    }

    private static func row(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) -> Row? {
        let start = try rows.integer(row, 4)
        guard let length = RollupLength(stored: try rows.integer(row, 3)), start % length.stored == 0 else {
            return nil
        }
        return Row(
            location: try rows.shortText(row, 1),
            node: try rows.shortText(row, 2),
            length: length,
            start: start / 1_000,
            data: try rows.bytes(row, 5)
        )
    }

    /// The beginnings of the days whose hours are read.
    static func daysOfHours(in ranges: [Range<Int64>]) -> [Int64] {
        let day = RollupLength.day.milliseconds
        var days: Set<Int64> = []
        for range in ranges where !range.isEmpty {
            let first = RollupLength.day.start(of: range.lowerBound)
            let last = RollupLength.day.start(of: range.upperBound - 1)
            // The day before the last may not be stored yet, though its hours are.
            days.formUnion(last - first <= day ? [first, last] : [first, last - day, last])
        }
        return days.sorted()
    }

    /// The first day of a month as the database writes it.
    private static func month(of moment: Int64) -> String {
        "\(Timestamp(milliseconds: moment).description.prefix(7))-01"
    }
}
