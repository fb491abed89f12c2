// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import Monitoring
internal import PostgreSQL

/// Some events of the fleet's log as the database has them.
struct LogPage: Sendable {
    let epoch: String
    /// The number of the newest event.
    let newest: UInt64
    /// The number of the oldest event that is kept.
    let oldest: UInt64
    /// The day of the newest event, as the database writes it.
    let headDay: String
    /// The events, oldest first. Rows that make no sense are left out.
    let events: [RecordedEvent]
    /// The page has all readable events up to this number.
    let through: UInt64
    /// The day of the last of them; nil when there is none.
    let lastDay: String?

    /// How long an event may be, in characters: a page of events is smaller than a result may be.
    static let dataLimit = 16_384

    static let columns =
        "l.seq, l.at, l.type, l.target, l.\"group\", l.tags, l.from_state, l.to_state, l.reason, l.cause, "
        + "left(l.data, \(dataLimit + 1)), l.day::text"

    private static func select(_ day: String, _ more: String = "") -> String {
        """
        SELECT h.epoch, h.seq,
          coalesce((SELECT min(first_seq) FROM log_days), (SELECT seq FROM log ORDER BY day, seq LIMIT 1), h.seq + 1),
          h.day::text, \(columns)\(more)
        FROM log_head h LEFT JOIN LATERAL (
          SELECT * FROM log WHERE seq > $1::bigint AND seq <= h.seq AND day >= \(day) ORDER BY day, seq LIMIT $2::bigint
        ) l ON true ORDER BY l.day, l.seq
        """
    }

    /// Events after the number $1, at most $2, from the day $3 on; with the stamps of the newest event, of the event $1 if it is of
    /// that day, and of each event.
    static let following = Statement(
        select(
            "$3::text::date",
            ", h.stamp, (SELECT stamp FROM log WHERE day = $3::text::date AND seq = $1::bigint), l.stamp"
        ),
        name: "log"
    )

    /// The same without a day: it is found by the days' first numbers.
    static let recall = Statement(
        select("(SELECT coalesce(max(day), '-infinity') FROM log_days WHERE first_seq <= $1::bigint + 1)"),
        name: "log_recall"
    )

    init(_ rows: DatabaseRows, after sequence: UInt64, limit: Int) throws(DatabaseError) {
        epoch = try rows.shortText(0, 0)
        newest = UInt64(clamping: try rows.count(0, 1))
        oldest = max(1, UInt64(clamping: try rows.count(0, 2)))
        headDay = try rows.shortText(0, 3)
        var events: [RecordedEvent] = []
        var last: UInt64?
        var day: String?
        var found = 0
        if try !rows.isNull(0, 4) {
            found = rows.rowCount
            for row in 0..<rows.rowCount {
                let number = UInt64(clamping: try rows.count(row, 4))
                last = number
                if let event = try Self.event(rows, row, number) { events.append(event) }
            }
            day = try rows.shortText(rows.rowCount - 1, 15)
        }
        self.events = events
        lastDay = day
        through = found == limit ? last ?? sequence : newest
    }

    /// What the rows of ``following`` show of the event that was known before.
    func evidence(_ rows: DatabaseRows) throws(DatabaseError) -> LogEvidence {
        let newest = LogMark(epoch: epoch, sequence: newest, stamp: try rows.integer(0, 16))
        return LogEvidence(newest: newest, oldest: oldest, found: try rows.optionalInteger(0, 17))
    }

    /// The event with the number ``through`` of the rows of ``following``.
    func mark(_ rows: DatabaseRows) throws(DatabaseError) -> LogMark {
        let isLast = through == newest
        let stamp = try isLast ? rows.integer(0, 16) : rows.integer(rows.rowCount - 1, 18)
        return LogMark(epoch: epoch, sequence: through, stamp: stamp)
    }

    /// Reads a row; nil for one that another program wrote, or a newer version of this one.
    private static func event(_ rows: DatabaseRows, _ row: Int, _ number: UInt64) throws(DatabaseError)
        -> RecordedEvent?
    {
        guard let type = EventType(rawValue: try rows.text(row, 6)) else { return nil }
        let data = try rows.text(row, 14)
        // A line end would begin another line of a client's stream.
        guard data.utf8.first == UInt8(ascii: "{"), data.unicodeScalars.count <= dataLimit,
            !data.utf8.contains(where: { $0 < 0x20 })
        else { return nil }
        var transition: RecordedEvent.Transition?
        if let from = try rows.optionalText(row, 10).flatMap(TargetState.init),
            let to = try rows.optionalText(row, 11).flatMap(TargetState.init)
        {
            transition = RecordedEvent.Transition(
                from: from,
                to: to,
                reason: try rows.optionalText(row, 12),
                cause: try rows.optionalText(row, 13).flatMap(StateCause.init)
            )
        }
        let tags = try rows.isNull(row, 9) ? [] : rows.texts(row, 9).compactMap(\.self)
        return RecordedEvent(
            sequence: number,
            at: Timestamp(Duration(microseconds: try rows.integer(row, 5))),
            type: type,
            target: try rows.optionalText(row, 7),
            group: try rows.optionalText(row, 8),
            tags: FleetTags.members(of: tags),
            transition: transition,
            data: Array(data.utf8)
        )
    }
}

/// Labels as the database stores them, `name:value`.
enum FleetTags {
    static func members(of texts: [String]) -> [String: String] {
        let pairs = texts.compactMap { text in
            text.firstIndex(of: ":").map { (String(text[..<$0]), String(text[text.index(after: $0)...])) }
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
