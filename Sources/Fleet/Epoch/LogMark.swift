// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import PostgreSQL

/// An event of the fleet's log that a node has seen.
package struct LogMark: Sendable, Hashable {
    /// The run of the log.
    package let epoch: String
    /// The event's number.
    package let sequence: UInt64
    /// The random number of the statement that wrote it: a number that was lost and given again has another one.
    package let stamp: Int64

    /// Creates a mark.
    package init(epoch: String, sequence: UInt64, stamp: Int64) {
        (self.epoch, self.sequence, self.stamp) = (epoch, sequence, stamp)
    }

    /// The newest event as a renewal reported it.
    init(_ answer: LeaseAnswer) {
        self.init(epoch: answer.epoch, sequence: UInt64(clamping: answer.sequence), stamp: answer.stamp)
    }
}

/// What a database's log has, as far as it shows whether it has lost a seen event.
struct LogEvidence: Sendable, Hashable {
    /// The newest event.
    let newest: LogMark
    /// The number of the oldest event that is kept.
    let oldest: UInt64
    /// The stamp of the event with the number that was asked for; nil when there is none.
    let found: Int64?

    /// Whether the log should have a seen event and does not. A log of another epoch says nothing, and neither does an event that is
    /// too old to be kept.
    func lacks(_ mark: LogMark) -> Bool {
        guard newest.epoch == mark.epoch, mark.sequence > 0 else { return false }
        if newest.sequence <= mark.sequence { return newest != mark }
        return mark.sequence >= oldest && found != mark.stamp
    }

    /// The head's columns that ``read(_:_:)`` reads, before the stamp that was found.
    static let columns = """
        h.epoch, h.seq, h.stamp,
          coalesce((SELECT min(first_seq) FROM log_days), (SELECT seq FROM log ORDER BY day, seq LIMIT 1), h.seq + 1)
        """

    /// Looks for the event with the number $1.
    static let statement = Statement(
        """
        SELECT \(columns), (
          SELECT stamp FROM log WHERE seq = $1::bigint
            AND day >= (SELECT coalesce(max(day), '-infinity') FROM log_days WHERE first_seq <= $1::bigint))
        FROM log_head h
        """,
        name: "find_event"
    )

    /// Reads the row of ``statement``.
    ///
    /// - Throws: `unexpected_answer` for a row of another form.
    init(_ rows: DatabaseRows) throws(DatabaseError) {
        newest = LogMark(
            epoch: try rows.shortText(0, 0),
            sequence: UInt64(clamping: try rows.count(0, 1)),
            stamp: try rows.integer(0, 2)
        )
        oldest = UInt64(clamping: try rows.count(0, 3))
        found = try rows.optionalInteger(0, 4)
    }

    init(newest: LogMark, oldest: UInt64, found: Int64?) {
        (self.newest, self.oldest, self.found) = (newest, oldest, found)
    }
}
