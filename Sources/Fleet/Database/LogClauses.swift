// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The parts of a statement that numbers events and adds them to the log.
///
/// Each such statement is one `WITH` query. Its first clause `g` locks `log_head` and has its `seq`; ``time`` follows. A clause `x`
/// has the events, a row each, with their places from 1 on in `number`; ``number(stamp:head:columns:)`` numbers them behind `g.seq`
/// as `h` and inserts them as `e`. Number order is thus commit order. ``notification`` is a column of the final query from `h`.
enum LogClauses {
    /// The database's time and day, once the lock is held.
    static let time = """
        t AS MATERIALIZED (
          SELECT \(DatabaseClock.now) AS now, (clock_timestamp() AT TIME ZONE 'UTC')::date AS today FROM g)
        """

    /// Numbers and inserts the events. `h` has `seq`, the number of the newest event now, `base`, that before, `day`, and `now`.
    ///
    /// - Parameters:
    ///   - stamp: the parameter with a random number for the newest event, which identifies it in a database that lost data.
    ///   - head: other assignments to the columns of `log_head`, over `g` and `t`.
    ///   - columns: the other columns of `log` and their values, over `x` and `h`.
    static func number(stamp: String, head: [String] = [], columns: KeyValuePairs<String, String>) -> String {
        """
        h AS (
          UPDATE log_head SET seq = log_head.seq + (SELECT count(*) FROM x),
            stamp = CASE WHEN EXISTS (SELECT FROM x) THEN \(stamp)::bigint ELSE stamp END,
            \((["day = greatest(day, t.today)"] + head).joined(separator: ",\n    "))
          FROM g, t RETURNING log_head.seq, g.seq AS base, log_head.day, t.now),
        e AS (
          INSERT INTO log (day, seq, stamp, recorded, \(columns.map(\.key).joined(separator: ", ")))
          SELECT h.day, h.base + x.number, \(stamp)::bigint, h.now, \(columns.map(\.value).joined(separator: ", "))
          FROM x, h)
        """
    }

    /// Notifies the readers of the log if there are events.
    static let notification = "CASE WHEN h.seq > h.base THEN \(FleetChannel.log.notify("h.seq::text")) END"
}
