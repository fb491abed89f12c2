// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

package import Monitoring

/// The fleet's verdict on a target: what the votes of its locations amount to.
///
/// The first row that applies; k locations watch, q votes against are needed; w, i and a are the numbers of votes well, ill
/// and against:
///
/// | row | condition | state | cause | reason |
/// | --- | --- | --- | --- | --- |
/// | Q1 | a vote is `paused` or `maintenance` | the same | the same | the same |
/// | Q2 | a parent's verdict is `down` or `unreachable` | `unreachable` | `parent` | `parent_down` |
/// | Q3 | a ≥ q | `down` | `target` if a vote against says so, else `path` | that of the newest such vote |
/// | Q4 | i + a ≥ q, w + i ≥ 1 | `degraded` | `target` | that of the newest ill vote |
/// | Q5 | w + i ≥ 1, a = 0 | `up`; `degraded` when w = 0 | none; that of the newest ill vote | as the cause |
/// | Q6 | w + i ≥ 1, a ≥ 1, for less than `settle` | as Q5; pending | as Q5 | as Q5 |
/// | Q7 | w + i ≥ 1, a ≥ 1, for longer | `degraded`; with `partial: up` as Q5 | `path` | `partly_down` |
/// | Q8 | w + i = 0, 1 ≤ a < q | `unreachable` | `local_network` | `no_quorum` |
/// | Q9 | no vote counts, at least one node is alive | `unknown` when all are, else `unreachable` | `self`; else the votes' common cause, else `local_network` | `no_location` |
/// | Q10 | no vote counts, no node is alive | `unknown` | `self` | `unwatched` |
///
/// **One watcher.** With k = 1 the rows Q3 to Q5, and Q9 when the vote itself cannot judge, report the vote's own state, cause,
/// reason and detail. Q2 does not apply to a vote that is `unreachable` without being against, because a node's own path takes
/// precedence over a parent there, too (``Monitoring/HealthStateMachine``). So one location's verdict equals a single node's.
package struct FleetVerdict: Sendable, Hashable {
    /// The target's state.
    package let state: TargetState
    /// Where the fault is; nil without a fault.
    package let cause: StateCause?
    /// The stable code; nil while the target is up.
    package let reason: FleetReason?
    /// One sentence for people; nil while the target is up.
    package let detail: String?
    /// When locations that disagree change the verdict unless they agree before; nil when nothing is pending.
    package let pendingUntil: Duration?
    /// How the votes counted.
    package let counts: VoteCounts
    /// The row that applied.
    package let rule: FleetVerdictRule

    /// Decides.
    package init(_ facts: VerdictFacts) {
        let ballot = Ballot(facts)
        let rule = ballot.rule
        let content = ballot.content(rule)
        self.rule = rule
        state = content.state
        cause = content.cause
        reason = content.reason
        detail = content.detail
        pendingUntil = rule == .disagreement ? ballot.settledAt : nil
        counts = ballot.counts
    }

    /// Whether a change of the verdict is pending.
    package var isPending: Bool { pendingUntil != nil }
}

/// How the votes on a target counted.
package struct VoteCounts: Sendable, Hashable {
    /// The number of locations that are to watch.
    package let watchers: Int
    /// The number of votes against that set the target `down`.
    package let needed: Int
    /// The number of locations where the target is up.
    package let well: Int
    /// The number of locations where it is degraded.
    package let ill: Int
    /// The number of locations where it is down.
    package let against: Int
    /// The number of locations that cannot judge it, including those that are not assigned.
    package let void: Int

    init(_ standings: [VoteStanding], placement: Placement) {
        watchers = placement.watchers
        needed = placement.quorum
        well = standings.count { $0 == .well }
        ill = standings.count { $0 == .ill }
        against = standings.count { $0 == .against }
        void = max(standings.count, placement.watchers) - well - ill - against
    }
}

/// The rows by which the fleet's verdict is decided; see ``FleetVerdict``.
package enum FleetVerdictRule: String, Sendable, Hashable, CaseIterable {
    /// Q1: the target is paused or in a maintenance.
    case suspended
    /// Q2: a parent cannot be used.
    case parentDown = "parent_down"
    /// Q3: enough locations report it down.
    case quorum
    /// Q4: enough locations report that it does not answer as it should.
    case quorumDegraded = "quorum_degraded"
    /// Q5: no location reports it down.
    case answering
    /// Q6: locations disagree, and may soon agree.
    case disagreement
    /// Q7: locations keep disagreeing.
    case partlyDown = "partly_down"
    /// Q8: too few locations can judge it.
    case noQuorum = "no_quorum"
    /// Q9: no location can judge it.
    case noLocation = "no_location"
    /// Q10: no live node monitors it.
    case unwatched

    /// The row's number in the table of ``FleetVerdict``.
    package var row: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
}
