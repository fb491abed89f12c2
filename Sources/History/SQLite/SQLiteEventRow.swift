// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// An event as a row of the table `events`, in both directions.
enum SQLiteEventRow {
    private static let columns =
        #"sequence, at, type, target, "group", tags, status_changed, from_state, to_state, reason, cause, data, supplement"#

    static let insert = "INSERT INTO events(\(columns)) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"

    static let select = "SELECT \(columns) FROM events WHERE sequence > ?1 ORDER BY sequence LIMIT ?2"

    /// The inner one is answered from the index `transitions` but for the states.
    static let selectLastProblems = """
        SELECT \(columns) FROM events WHERE sequence IN (
            SELECT max(sequence) FROM events
            WHERE to_state IS NOT NULL AND to_state IN ('up', 'degraded', 'down', 'unreachable')
                AND target IS NOT NULL AND sequence <= ?1
            GROUP BY target
        ) AND to_state <> 'up' ORDER BY sequence
        """

    /// Changes of one target's state before a number, newest first.
    static let selectTransitions =
        "SELECT \(columns) FROM events WHERE target = ?1 AND sequence < ?2 AND to_state IS NOT NULL ORDER BY sequence DESC"

    static func bind(_ event: RecordedEvent, to statement: SQLiteStatement) throws(HistoryError) {
        try statement.bind(1, Int64(clamping: event.sequence))
        try statement.bind(2, event.at.milliseconds)
        try statement.bind(3, event.type.rawValue)
        try statement.bind(4, event.target)
        try statement.bind(5, event.group)
        try statement.bind(6, TagText.text(event.tags))
        try statement.bind(7, Int64(event.isStatusChanged ? 1 : 0))
        try statement.bind(8, event.transition?.from.rawValue)
        try statement.bind(9, event.transition?.to.rawValue)
        try statement.bind(10, event.transition?.reason)
        try statement.bind(11, event.transition?.cause?.rawValue)
        try statement.bind(12, utf8: event.data)
        if event.supplement.isEmpty {
            try statement.bind(13, nil as Int64?)
        } else {
            try statement.bind(13, utf8: event.supplement)
        }
    }

    /// Whether bytes can be sent as they are: one line of UTF-8, as JSON of ours is. A line's end would begin another event.
    private static func isLine(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 } && String(validating: bytes, as: UTF8.self) != nil
    }

    static func event(_ row: SQLiteStatement) throws(HistoryError) -> RecordedEvent {
        guard let sequence = row.integer(0), (1...SQLiteFileCheck.largestSequence).contains(sequence),
            let at = row.integer(1), let type = row.text(2).flatMap(EventType.init), let data = row.bytes(11),
            isLine(data), isLine(row.bytes(12) ?? [])
        else { throw HistoryError(.corrupt, "an event of the log is invalid") }
        let from = row.text(7).flatMap(TargetState.init)
        let to = row.text(8).flatMap(TargetState.init)
        let transition = from.flatMap { from in
            to.map { to in
                RecordedEvent.Transition(
                    from: from,
                    to: to,
                    reason: row.text(9),
                    cause: row.text(10).flatMap(StateCause.init)
                )
            }
        }
        return RecordedEvent(
            sequence: UInt64(sequence),
            at: Timestamp(milliseconds: at),
            type: type,
            target: row.text(3),
            group: row.text(4),
            tags: TagText.tags(row.text(5)),
            isStatusChanged: row.integer(6) == 1,
            transition: transition,
            data: data,
            supplement: row.bytes(12) ?? []
        )
    }
}

/// Labels in one column: lines of `name=value`, sorted; `\\`, `\e` and `\n` stand for a backslash, an equals sign and a line's end
/// in them.
enum TagText {
    /// Nil for none.
    static func text(_ tags: [String: String]) -> String? {
        guard !tags.isEmpty else { return nil }
        let lines = tags.sorted { $0.key < $1.key }.map { "\(escaped($0.key))=\(escaped($0.value))" }
        return lines.joined(separator: "\n")
    }

    static func tags(_ text: String?) -> [String: String] {
        guard let text else { return [:] }
        let pairs = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).compactMap { line in
            line.firstIndex(of: 0x3d).map { (plain(line[..<$0]), plain(line[line.index(after: $0)...])) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func escaped(_ text: String) -> String {
        let needsNone = text.utf8.allSatisfy { $0 != 0x0a && $0 != 0x3d && $0 != 0x5c }
        if needsNone { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x0a: bytes += [0x5c, UInt8(ascii: "n")]
            case 0x3d: bytes += [0x5c, UInt8(ascii: "e")]
            case 0x5c: bytes += [0x5c, 0x5c]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func plain(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text {
            switch (isEscaped, byte) {
            case (false, 0x5c):
                isEscaped = true
                continue
            case (true, UInt8(ascii: "n")): bytes.append(0x0a)
            case (true, UInt8(ascii: "e")): bytes.append(0x3d)
            default: bytes.append(byte)
            }
            isEscaped = false
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
