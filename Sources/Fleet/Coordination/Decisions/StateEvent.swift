// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Monitoring

/// A change of a target's verdict, as the log stores it.
struct StateEvent: Sendable, Hashable {
    let target: String
    let group: String?
    /// The tags in the database's text form of an array.
    let tags: String?
    let from: TargetState
    let to: TargetState
    let cause: StateCause?
    let reason: String?
    /// When it was observed.
    let at: Duration
    /// The JSON text that clients receive.
    let data: String

    /// - Parameters:
    ///   - standing: the target.
    ///   - old: the verdict before.
    ///   - new: the verdict after.
    ///   - counts: how the votes counted.
    ///   - at: when it was observed.
    init(_ standing: TargetStanding, from old: StoredVerdict, to new: StoredVerdict, counts: VoteCounts, at: Duration) {
        target = standing.id
        group = standing.group
        tags = standing.tags
        from = old.state
        to = new.state
        cause = new.cause
        reason = new.reason
        self.at = at
        data = Self.data(standing.id, from: old, to: new, counts: counts, at: at)
    }

    /// The members of the contract's `state` event that a fleet knows, and how the votes counted.
    private static func data(
        _ target: String,
        from old: StoredVerdict,
        to new: StoredVerdict,
        counts: VoteCounts,
        at: Duration
    ) -> String {
        var writer = JSONWriter(reserving: 384)
        writer.object { writer in
            writer.member("target", target)
            writer.member("from", old.state.rawValue)
            writer.member("to", new.state.rawValue)
            writer.reason(new.reason, detail: new.detail)
            writer.member("cause", optional: new.cause?.rawValue)
            writer.member("previous_since", Timestamp(old.since))
            writer.quorum(counts)
            writer.member("at", Timestamp(at))
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
