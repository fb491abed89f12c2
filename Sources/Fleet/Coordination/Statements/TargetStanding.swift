// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import PostgreSQL

/// A target as the coordinator reads it: the declaration's part that verdicts depend on, and the stored verdict.
struct TargetStanding: Sendable, Hashable {
    let id: String
    let shard: Shard
    let interval: Duration
    let isPartialUp: Bool
    let group: String?
    /// The tags in the database's text form of an array, which is passed on unread.
    let tags: String?
    let verdict: StoredVerdict
    /// When its locations began to disagree; nil while they agree.
    let disagreeingSince: Duration?
    /// When the verdict shows that; nil when it does so already, or while they agree.
    let disagreementDue: Duration?
    /// Whether a client paused it: its verdict is then not the votes'.
    let isPaused: Bool

    init(
        id: String,
        shard: Shard,
        interval: Duration = .seconds(10),
        isPartialUp: Bool = false,
        group: String? = nil,
        tags: String? = nil,
        verdict: StoredVerdict,
        disagreeingSince: Duration? = nil,
        disagreementDue: Duration? = nil,
        isPaused: Bool = false
    ) {
        self.id = id
        self.shard = shard
        self.interval = interval
        self.isPartialUp = isPartialUp
        self.group = group
        self.tags = tags
        self.verdict = verdict
        self.disagreeingSince = disagreeingSince
        self.disagreementDue = disagreementDue
        self.isPaused = isPaused
    }

    /// Reads a row with the columns of ``CoordinatorStatement/standing``.
    ///
    /// - Throws: `unexpected_answer` for a row of another form.
    init(_ rows: DatabaseRows, _ row: Int) throws(DatabaseError) {
        self.init(
            id: try rows.text(row, 0),
            shard: Shard(
                placement: Int(clamping: try rows.integer(row, 1)),
                number: Int(clamping: try rows.integer(row, 2))
            ),
            interval: Duration(microseconds: max(0, try rows.integer(row, 3))),
            isPartialUp: try rows.bool(row, 4),
            group: try rows.optionalText(row, 5),
            tags: try rows.optionalText(row, 6),
            verdict: StoredVerdict(
                version: try rows.integer(row, 7),
                // A state that another program wrote is replaced with the next decision.
                state: TargetState(rawValue: try rows.text(row, 8)) ?? .unknown,
                cause: try rows.optionalText(row, 9).flatMap(StateCause.init),
                reason: try rows.optionalText(row, 10),
                detail: try rows.optionalText(row, 11),
                since: Duration(microseconds: try rows.integer(row, 12)),
                rule: try rows.text(row, 13)
            ),
            disagreeingSince: try rows.optionalInteger(row, 14).map { Duration(microseconds: $0) },
            disagreementDue: try rows.optionalInteger(row, 15).flatMap {
                $0 == .max ? nil : Duration(microseconds: $0)
            },
            isPaused: try rows.bool(row, 16)
        )
    }
}

/// A verdict as the database stores it.
struct StoredVerdict: Sendable, Hashable {
    /// How often it was replaced. A decision is written only over the version that it was based on.
    var version: Int64
    var state: TargetState
    var cause: StateCause?
    var reason: String?
    var detail: String?
    /// When the state began.
    var since: Duration
    /// The code of the row that decided; see ``FleetVerdictRule``.
    var rule: String

    /// Whether those that depend on the target cannot be reached.
    var blocksChildren: Bool { state == .down || state == .unreachable }

    /// Whether both report the same: another one is an event, as on a single node.
    func reportsSame(as other: StoredVerdict) -> Bool {
        state == other.state && cause == other.cause && reason == other.reason && detail == other.detail
    }
}
