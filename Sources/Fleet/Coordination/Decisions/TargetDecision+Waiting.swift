// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// Verdicts that wait. A target that gets no answer is `down` only when it is known whether its locations lost many others, too: a verdict
/// that the next votes would correct is not said first.
///
/// | the target is silent | waits | until |
/// | --- | --- | --- |
/// | from some locations, and others reach it | when one of them lost other targets, too | each of them lost many, or `settle` |
/// | from its only watcher, or one vote is enough, and no other location reaches it | when the location shares enough targets to be isolated | a lease, at most `settle`; as long as it lost others, until it is decided whether it is isolated, at most twice `settle` |
///
/// The times count from the last of the votes. What a target answered, or a router reported, never waits.
extension TargetDecision {
    /// Which locations get no answer from the target, as if none was isolated; nil when a vote rests on more than missing replies.
    func silence(_ facts: VerdictFacts) -> Loss? {
        var facts = facts
        facts.isolated = []
        var against: [Vote] = []
        var seeing = 0
        for vote in facts.effectiveVotes {
            switch facts.standing(of: vote) {
            case .void: break
            case .against: against.append(vote)
            case .well, .ill: seeing += 1
            }
        }
        guard let since = against.map(\.since).max(),
            against.allSatisfy({ votes[$0.location]?.content.fault?.isInferred ?? false })
        else { return nil }
        let isShared = against.count + seeing >= IsolationTally.fewestLocations
        return Loss(locations: against.map(\.location), since: since, isSeen: seeing > 0 && isShared)
    }

    /// Until when a verdict waits; nil when it does not.
    ///
    /// - Parameters:
    ///   - decision: the verdict.
    ///   - loss: which locations get no answer.
    ///   - facts: what the round depends on.
    func waitingTime(_ decision: FleetVerdict, _ loss: Loss?, _ facts: RoundFacts) -> Duration? {
        let (lease, settle) = (facts.settings.lease, facts.settings.settle)
        // A clock that is ahead is not believed.
        guard decision.rule == .quorum, decision.state == .down, verdict.state != .down, let loss,
            loss.since <= facts.now + lease
        else { return nil }
        let recent = loss.locations.map { facts.recentLosses[$0] ?? LossTally.Recent(since: loss.since) }
        var end = loss.since + min(lease, settle)
        if loss.isSeen {
            // The target itself may be one of them.
            guard recent.contains(where: { $0.count > 1 }),
                !recent.allSatisfy({ $0.count >= IsolationTally.fewestTargets })
            else { return nil }
            end = loss.since + settle
        } else {
            guard recent.count == 1, facts.comparable.isSuperset(of: loss.locations) else { return nil }
            if recent[0].count > 0 { end = min(max(end, recent[0].since + settle), loss.since + settle * 2) }
        }
        return end > facts.now ? end : nil
    }
}
