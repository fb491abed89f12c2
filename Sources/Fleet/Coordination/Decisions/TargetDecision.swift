// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// The decisions on one target in a round: its votes and its verdict, which each row of the inbox may change.
struct TargetDecision {
    let standing: TargetStanding
    private let placement: Placement
    private(set) var votes: [String: StoredVote]
    /// The locations whose vote is new.
    private(set) var changedVotes: Set<String> = []
    private(set) var verdict: StoredVerdict
    /// When locations began to disagree, or when a verdict that waits was decided.
    private(set) var disagreeingSince: Duration?
    /// When the verdict shows that; nil when it does so already, or when there is none.
    private(set) var disagreementDue: Duration?
    /// When it has to be decided again because of the time, apart from a disagreement; nil when the time changes nothing.
    private(set) var due: Duration?

    init(_ standing: TargetStanding, placement: Placement, votes: [String: StoredVote]) {
        self.standing = standing
        self.placement = placement
        self.votes = votes
        verdict = standing.verdict
        disagreeingSince = standing.disagreeingSince
    }

    /// The vote of the location that alone is against; see ``IsolationTally``.
    private(set) var aloneAgainst: LoneVote?
    /// Which locations get no answer from it.
    private(set) var loss: Loss?
    /// Whether the stored verdict stays for a time, whatever the votes.
    private(set) var isWaiting = false
    private var hasEvents = false

    /// Whether enough locations watch the target to find an isolated one.
    var isShared: Bool { placement.watchers >= IsolationTally.fewestLocations }

    /// Whether the stored verdict is to be replaced; also when it changed and changed back, because events are written only beside
    /// a new version.
    var isVerdictChanged: Bool { hasEvents || verdict != standing.verdict }

    /// Stores a location's vote.
    ///
    /// - Parameter moment: when it was observed.
    /// - Returns: the entry of the log; nil for a target of one location, and for a vote that reports the same as before.
    mutating func store(_ vote: StoredVote, from location: String, at moment: Duration) -> LogEntry? {
        let old = votes.updateValue(vote, forKey: location)
        changedVotes.insert(location)
        guard placement.watchers > 1 else { return nil }
        return LogEntry(standing, from: location, old, vote, at: moment)
    }

    /// Decides by the present votes.
    ///
    /// - Parameters:
    ///   - facts: what the round depends on.
    ///   - moment: when the change was observed.
    /// - Returns: the event; nil when nothing that an event reports has changed.
    mutating func decide(_ facts: RoundFacts, at moment: Duration) -> StateEvent? {
        let votes = facts.votes(standing, self.votes, placement)
        let verdictFacts = VerdictFacts(
            votes: votes,
            placement: placement,
            now: facts.now,
            blockingParent: facts.blockingParents[standing.id],
            isolated: facts.isolated,
            disagreeingSince: disagreeingSince,
            settle: facts.settings.settle,
            unwatchedAfter: facts.settings.unwatchedAfter,
            interval: standing.interval,
            isPartialUp: standing.isPartialUp
        )
        let decision = FleetVerdict(verdictFacts)
        loss = silence(verdictFacts)
        let hasWaited = decision.rule == .quorum && standing.disagreementDue.map { $0 <= facts.now } ?? false
        if let end = waitingTime(decision, loss, facts) {
            isWaiting = true
            disagreeingSince = disagreeingSince ?? facts.now
            disagreementDue = end
        } else {
            isWaiting = false
            updateDisagreement(decision, now: facts.now)
        }
        aloneAgainst = verdictFacts.aloneAgainst.map { vote in
            LoneVote(location: vote.location, since: disagreeingSince ?? min(vote.since, facts.now))
        }
        due = nextChange(votes, facts)
        guard !isWaiting else { return nil }
        let began = hasWaited ? min(loss?.since ?? moment, moment) : moment
        return apply(decision, at: believable(began, now: facts.now, tolerance: facts.settings.lease))
    }

    private mutating func apply(_ decision: FleetVerdict, at moment: Duration) -> StateEvent? {
        var new = StoredVerdict(
            version: verdict.version,
            state: decision.state,
            cause: decision.cause,
            reason: decision.reason?.rawValue,
            detail: decision.detail,
            since: decision.state == verdict.state ? verdict.since : moment,
            rule: decision.rule.rawValue
        )
        // A sentence that a location wrote quotes times and banners, and which location's is quoted changes with each vote. On a
        // single node every vote is an event, and its node has compared the sentences already.
        if placement.watchers > 1, decision.rule.quotesVote, new.cause == verdict.cause, new.reason == verdict.reason,
            new.state == verdict.state
        {
            new.detail = verdict.detail
        }
        let old = verdict
        verdict = new
        // The first decision on a declared target that is still unknown only fills in the reason.
        let isFirst = old.version == 0 && old.reason == nil && old.state == new.state
        guard !new.reportsSame(as: old), !isFirst else { return nil }
        hasEvents = true
        return StateEvent(standing, from: old, to: new, counts: decision.counts, at: moment)
    }

    /// A clock that is ahead by more than the tolerance is wrong, and no state begins before the one that it ends.
    private func believable(_ moment: Duration, now: Duration, tolerance: Duration) -> Duration {
        max(moment > now + tolerance ? now : moment, verdict.since)
    }

    private mutating func updateDisagreement(_ decision: FleetVerdict, now: Duration) {
        switch decision.rule {
        case .disagreement:
            disagreeingSince = disagreeingSince ?? now
            disagreementDue = decision.pendingUntil
        case .partlyDown:
            disagreeingSince = disagreeingSince ?? now
            disagreementDue = nil
        default:
            disagreeingSince = nil
            disagreementDue = nil
        }
    }

    /// When a vote's standing changes by itself.
    private func nextChange(_ votes: [Vote], _ facts: RoundFacts) -> Duration? {
        let grace = facts.grace(standing)
        let step = Duration.microseconds(1)
        var next: [Duration] = []
        var losses: [Duration] = []
        for vote in votes {
            switch vote.owner {
            case .unconfirmed(let since): next.append(since + grace + step)
            case .lost(let since): losses.append(since)
            case .confirmed: break
            }
        }
        if losses.count == votes.count, let last = losses.max() { next.append(last + facts.settings.unwatchedAfter) }
        return next.filter { $0 > facts.now }.min()
    }
}

extension FleetVerdictRule {
    /// Whether the verdict's sentence is that of a vote.
    fileprivate var quotesVote: Bool { self == .quorum || self == .quorumDegraded || self == .answering }
}
