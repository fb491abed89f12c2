// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// Which changes of a target's state are wanted.
package struct TransitionQuery: Sendable, Hashable {
    /// Not before this moment.
    package var from: Timestamp?
    /// Before this moment.
    package var to: Timestamp?
    /// At most so many.
    package var limit: Int
    /// Where the last page ended; nil for the newest.
    package var cursor: TransitionCursor?

    /// Creates a query.
    package init(from: Timestamp? = nil, to: Timestamp? = nil, limit: Int = 100, cursor: TransitionCursor? = nil) {
        self.from = from
        self.to = to
        self.limit = limit
        self.cursor = cursor
    }
}

/// Some changes of a target's state, newest first.
package struct TransitionPage: Sendable {
    /// The events.
    package let events: [RecordedEvent]
    /// Where the list continues; nil at its end.
    package let next: TransitionCursor?

    /// Creates a page.
    package init(events: [RecordedEvent], next: TransitionCursor?) {
        (self.events, self.next) = (events, next)
    }
}

/// Where a list of changes continues: before the event with a number, in one log.
package struct TransitionCursor: Sendable, Hashable {
    /// The log's identity.
    package let log: String
    /// The number.
    package let sequence: UInt64

    /// Creates a cursor.
    package init(log: String, sequence: UInt64) {
        self.log = log
        self.sequence = sequence
    }

    /// Reads what ``text`` wrote; nil for anything else.
    package init?(parsing text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...32).contains(parts[0].utf8.count), (1...16).contains(parts[1].utf8.count),
            let sequence = UInt64(parts[1], radix: 16), sequence > 0
        else { return nil }
        self.init(log: String(parts[0]), sequence: sequence)
    }

    /// As text, which only this type reads.
    package var text: String { "\(log).\(String(sequence, radix: 16))" }
}
