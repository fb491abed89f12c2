// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// All that a verdict depends on.
package struct VerdictFacts: Sendable, Hashable {
    /// How long a predecessor's vote counts at least after a change of the owner, however short the interval.
    package static let shortestGrace = Duration.seconds(30)

    /// One vote for each location that is assigned to the target's shard.
    package var votes: [Vote]
    /// The target's placement.
    package var placement: Placement
    /// The id of the first parent whose verdict is `down` or `unreachable`; nil when all can be used.
    package var blockingParent: String?
    /// The isolated locations (``IsolationTally``).
    package var isolated: Set<String>
    /// When locations began to disagree about the target; nil when that is not recorded yet.
    package var disagreeingSince: Duration?
    /// The database's time.
    package var now: Duration
    /// How long locations may disagree before the verdict shows it.
    package var settle: Duration
    /// How long the last votes count after the last live node was lost.
    package var unwatchedAfter: Duration
    /// The target's ``FleetDeclaration/interval``.
    package var interval: Duration
    /// Whether a target that only some locations reach stays `up` (`partial: up`).
    package var isPartialUp: Bool

    /// Creates facts; the defaults are those of the fleet's settings.
    package init(
        votes: [Vote],
        placement: Placement,
        now: Duration,
        blockingParent: String? = nil,
        isolated: Set<String> = [],
        disagreeingSince: Duration? = nil,
        settle: Duration = .seconds(10),
        unwatchedAfter: Duration = .seconds(30),
        interval: Duration = .seconds(10),
        isPartialUp: Bool = false
    ) {
        self.votes = votes
        self.placement = placement
        self.now = now
        self.blockingParent = blockingParent
        self.isolated = isolated
        self.disagreeingSince = disagreeingSince
        self.settle = settle
        self.unwatchedAfter = unwatchedAfter
        self.interval = interval
        self.isPartialUp = isPartialUp
    }

    /// Whether no assigned location has a live node.
    var isUnwatched: Bool { votes.allSatisfy { if case .lost = $0.owner { true } else { false } } }

    /// How long the vote of a predecessor counts after a change of the owner, or after the last owner was lost.
    static func grace(interval: Duration, unwatchedAfter: Duration) -> Duration {
        max(interval * 3, shortestGrace, unwatchedAfter)
    }

    /// The votes as they are counted: those of an unwatched target count until ``unwatchedAfter``, so that the restart of a
    /// location's only node changes no verdict, unless their node was lost that long before the last one. Beside live locations a vote
    /// without a node is void immediately.
    var effectiveVotes: [Vote] {
        let losses = votes.compactMap { if case .lost(let since) = $0.owner { since } else { nil } }
        guard losses.count == votes.count, let last = losses.max(), now - last < unwatchedAfter else { return votes }
        return votes.map { vote in
            guard case .lost(let since) = vote.owner, last - since <= unwatchedAfter else { return vote }
            return Vote(
                location: vote.location,
                state: vote.state,
                cause: vote.cause,
                reason: vote.reason,
                detail: vote.detail,
                since: vote.since
            )
        }
    }

    /// How each vote counts.
    func standing(of vote: Vote) -> VoteStanding {
        vote.standing(
            now: now,
            grace: Self.grace(interval: interval, unwatchedAfter: unwatchedAfter),
            isIsolated: isolated.contains(vote.location)
        )
    }
}
