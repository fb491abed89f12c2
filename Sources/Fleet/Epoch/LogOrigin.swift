// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import PostgreSQL

/// Where the log's newest event was written, as far as an ordinary role can know.
struct LogOrigin: Sendable, Hashable {
    /// The cluster's system identifier: that of a primary and its standbys, and of a restored base backup, but not of a server that a
    /// dump was restored to. nil: unknown.
    var server: String?
    /// The server's timeline: another one after each promotion and each point-in-time recovery. nil: unknown.
    var timeline: String?
    /// Whether a synchronous standby has what clients have seen.
    var isDurable = false

    /// What follows when the log is found at another place.
    enum Succession: Sendable, Hashable {
        /// It is where it was.
        case same
        /// Nothing can be lost; the new place is recorded.
        case moved(LogOrigin)
        /// Events that clients have seen may be lost.
        case lost(LogOrigin, reason: String)
    }

    /// The longest time without a coordinator after which a new timeline is taken for a promotion. A backup has the same row as a
    /// synchronous standby, but an earlier one.
    static let longestPromotion = Duration.seconds(600)

    /// Compares the stored place with the present one. What is unknown is no reason for a new epoch: nodes notice that events are
    /// absent (``SeenLog``).
    ///
    /// - Parameters:
    ///   - present: the present place.
    ///   - vacancy: how long there was no coordinator.
    func succession(_ present: LogOrigin, vacancy: Duration = .zero) -> Succession {
        var merged = present
        merged.server = present.server ?? server
        merged.timeline = present.timeline ?? timeline
        if merged == self { return .same }
        if let server, server != merged.server {
            return .lost(merged, reason: "the database was restored to another server")
        }
        if let timeline, timeline != merged.timeline, !isDurable || vacancy > Self.longestPromotion {
            return .lost(merged, reason: "the database was restored, or an asynchronous standby was promoted")
        }
        return .moved(merged)
    }

    /// Reads columns of ``EpochStatements/origin``.
    ///
    /// - Throws: `unexpected_answer` for a row of another form.
    init(_ rows: DatabaseRows, column: Int) throws(DatabaseError) {
        server = try rows.optionalText(0, column)
        timeline = try rows.optionalText(0, column + 1)
        isDurable = try rows.bool(0, column + 2)
    }

    init(server: String? = nil, timeline: String? = nil, isDurable: Bool = false) {
        (self.server, self.timeline, self.isDurable) = (server, timeline, isDurable)
    }

    /// The values of the columns `server`, `timeline` and `durable`.
    var values: [DatabaseValue] {
        [server.map { .text($0) } ?? .null, timeline.map { .text($0) } ?? .null, .bool(isDurable)]
    }
}
