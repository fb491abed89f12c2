// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// What one location reports about one target.
///
/// Instants are durations since the Unix epoch by the database's clock, here and in the whole module.
package struct Vote: Sendable, Hashable {
    /// The location that reports.
    package let location: String
    /// The state that the location's node computed.
    package let state: TargetState
    /// Where that node locates the fault; nil without a fault.
    package let cause: StateCause?
    /// Its reason; nil while the target is up.
    package let reason: ReasonCode?
    /// Its sentence for people; nil while the target is up.
    package let detail: String?
    /// When the state began.
    package let since: Duration
    /// Whether the node behind the vote is alive.
    package let owner: VoteOwner

    /// Creates a vote.
    package init(
        location: String,
        state: TargetState,
        cause: StateCause? = nil,
        reason: ReasonCode? = nil,
        detail: String? = nil,
        since: Duration,
        owner: VoteOwner = .confirmed
    ) {
        self.location = location
        self.state = state
        self.cause = cause
        self.reason = reason
        self.detail = detail
        self.since = since
        self.owner = owner
    }

    /// The vote of a location whose node has not reported yet, in the words of a single node that just started.
    ///
    /// - Parameters:
    ///   - location: the location.
    ///   - since: when its node was assigned.
    ///   - owner: whether that node is alive.
    package static func awaited(from location: String, since: Duration, owner: VoteOwner) -> Vote {
        let reason = StateReason(path: nil)
        return Vote(
            location: location,
            state: .unknown,
            cause: reason?.cause,
            reason: reason?.code,
            detail: reason?.detail,
            since: since,
            owner: owner
        )
    }
}

/// The node behind a vote.
package enum VoteOwner: Sendable, Hashable {
    /// A live node that probed the target since it was assigned.
    case confirmed
    /// A live node that has not probed the target yet; the vote is its predecessor's. `since`: when it was assigned.
    case unconfirmed(since: Duration)
    /// No live node is assigned. `since`: when the last one was lost.
    case lost(since: Duration)
}
