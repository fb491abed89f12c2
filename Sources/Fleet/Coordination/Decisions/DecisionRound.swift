// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Decides on a batch of reports.
///
/// A pure function, so that a coordinator whose statement failed reads again and decides again. The rows are applied one after the
/// other; each changes its target's verdict at most once, so that a target that changed twice within a batch has two events. Then
/// the targets to be decided again without a row follow.
struct DecisionRound {
    private let facts: RoundFacts
    private var working: RoundFacts
    private var decisions: [TargetDecision] = []
    private var places: [String: Int] = [:]
    private var changes = RoundChanges()

    /// Decides.
    static func decide(_ facts: RoundFacts) -> RoundChanges {
        var round = DecisionRound(facts)
        for row in facts.rows { round.apply(row) }
        for target in facts.reevaluated { round.decide(target, at: facts.now) }
        return round.finish()
    }

    private init(_ facts: RoundFacts) {
        self.facts = facts
        working = facts
        // The decisions hold these; a second copy would be copied with each change.
        working.votes = [:]
        working.rows = []
        // What locations lose in this round counts for the first of it, too, but tells nothing yet: those that were told before are decided
        // on together with these.
        var lost: Set<[String]> = []
        for row in facts.rows {
            guard case .vote(let target, let content) = row.content, content.fault?.isInferred == true,
                facts.placements[row.key.shard.placement]?.watchers ?? 0 >= IsolationTally.fewestLocations,
                lost.insert([target, row.key.location]).inserted
            else { continue }
            var recent = working.recentLosses[row.key.location] ?? LossTally.Recent(since: content.since)
            if recent.count < IsolationTally.fewestTargets - 1 { recent.count += 1 }
            working.recentLosses[row.key.location] = recent
        }
    }

    private mutating func apply(_ row: InboxRow) {
        changes.inboxIDs.append(row.id)
        if let reason = working.rejection(of: row) {
            changes.rejected[reason, default: 0] += 1
            return
        }
        switch row.content {
        case .confirmation:
            changes.confirmed[row.key] = row.token
            working.assignments[row.key]?.confirmed = row.token
        case .vote(let target, let content):
            guard let place = place(of: target) else {
                changes.rejected[.unknownTarget, default: 0] += 1
                return
            }
            let vote = StoredVote(content: content, token: row.token, node: row.node)
            if let entry = decisions[place].store(vote, from: row.key.location, at: row.at) {
                changes.entries.append(entry)
            }
            decide(place, at: row.at)
        case .certificate(let target, let certificate):
            guard let standing = facts.targets[target] else { return }
            changes.entries.append(LogEntry(standing, certificate, row))
        case .unreadable: break
        }
    }

    /// Decides on a target without a row. One that is not declared any more leaves no disagreement behind, which would be due for
    /// ever.
    private mutating func decide(_ target: String, at moment: Duration) {
        guard let place = place(of: target) else {
            let isDeclared = facts.targets[target] != nil
            if !isDeclared { changes.agreed.append(target) }
            changes.observations.append(
                IncidentObservation(
                    target: target,
                    condition: .leaving(isDeclared ? .paused : .removed),
                    at: Timestamp(moment)
                )
            )
            changes.aloneAgainst[target] = .some(nil)
            changes.losses[target] = .some(nil)
            return
        }
        decide(place, at: moment)
    }

    private mutating func decide(_ place: Int, at moment: Duration) {
        if let event = decisions[place].decide(working, at: moment) { changes.entries.append(LogEntry(event)) }
        guard !decisions[place].isWaiting else { return }
        changes.observations.append(decisions[place].observation(at: moment, parents: working.blockingParents))
    }

    private mutating func place(of target: String) -> Int? {
        if let place = places[target] { return place }
        guard let standing = facts.targets[target], !standing.isPaused,
            let placement = facts.placements[standing.shard.placement]
        else {
            return nil
        }
        decisions.append(TargetDecision(standing, placement: placement, votes: facts.votes[target] ?? [:]))
        places[target] = decisions.count - 1
        return decisions.count - 1
    }

    private consuming func finish() -> RoundChanges {
        var changes = changes
        for decision in decisions {
            let (target, shard) = (decision.standing.id, decision.standing.shard)
            if decision.isShared { changes.aloneAgainst[target] = .some(decision.aloneAgainst) }
            if decision.isShared || decision.loss != nil { changes.losses[target] = .some(decision.loss) }
            for location in decision.changedVotes.sorted() {
                guard let vote = decision.votes[location] else { continue }
                changes.votes.append(VoteChange(target: target, location: location, vote: vote))
            }
            if decision.isVerdictChanged {
                changes.verdicts.append(VerdictChange(target: target, verdict: decision.verdict))
            }
            if decision.verdict.blocksChildren != decision.standing.verdict.blocksChildren {
                changes.blockingChanged.append(target)
            }
            if let since = decision.disagreeingSince {
                let (old, oldDue) = (decision.standing.disagreeingSince, decision.standing.disagreementDue)
                if old != since || oldDue != decision.disagreementDue {
                    changes.disagreements.append(
                        Disagreement(target: target, shard: shard, since: since, due: decision.disagreementDue)
                    )
                }
            } else if decision.standing.disagreeingSince != nil {
                changes.agreed.append(target)
            }
            if let due = decision.due { changes.due[shard] = min(due, changes.due[shard] ?? due) }
        }
        return changes
    }
}
