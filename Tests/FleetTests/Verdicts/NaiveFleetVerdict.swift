// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet
import Monitoring

/// The table of verdicts written down a second time: words instead of standings, one long list of conditions, and counts made
/// by hand.
struct NaiveFleetVerdict: Equatable {
    var state: TargetState
    var cause: StateCause?
    var reason: String?
    var detail: String?
    var row: Int
    var pendingUntil: Duration?
    var counts: [Int]

    /// What a vote says: "well", "ill", "against", "dead", "late", "isolated", "held", "blind".
    static func word(_ vote: Vote, _ facts: VerdictFacts, lastDeath: Duration?) -> String {
        if case .lost(let since) = vote.owner {
            guard let lastDeath, facts.now - lastDeath < facts.unwatchedAfter, lastDeath - since <= facts.unwatchedAfter
            else { return "dead" }
        }
        if case .unconfirmed(let since) = vote.owner {
            let age = facts.now - since
            if age > .seconds(30), age > facts.interval + facts.interval + facts.interval, age > facts.unwatchedAfter {
                return "late"
            }
        }
        if vote.state == .up { return "well" }
        if vote.state == .degraded { return "ill" }
        if vote.state == .paused || vote.state == .maintenance { return "held" }
        let isDown = vote.state == .down && (vote.cause == nil || vote.cause == .target || vote.cause == .path)
        let isCutOff = vote.state == .unreachable && vote.cause == .path
        guard isDown || isCutOff else { return "blind" }
        return facts.isolated.contains(vote.location) ? "isolated" : "against"
    }

    private static func names(_ votes: [Vote]) -> String {
        let all = votes.map(\.location).sorted()
        var text = ""
        for (index, name) in all.enumerated() {
            if index > 0 { text += index == all.count - 1 ? " and " : ", " }
            text += name
        }
        return text
    }

    private static func latest(_ votes: [Vote]) -> Vote? {
        votes.sorted { $0.since == $1.since ? $0.location < $1.location : $0.since > $1.since }.first
    }

    init(_ facts: VerdictFacts) {
        var deaths: [Duration] = []
        for vote in facts.votes { if case .lost(let since) = vote.owner { deaths.append(since) } }
        let lastDeath = deaths.count == facts.votes.count ? deaths.max() : nil
        let words = facts.votes.map { Self.word($0, facts, lastDeath: lastDeath) }
        func with(_ word: String) -> [Vote] { zip(facts.votes, words).filter { $0.1 == word }.map(\.0) }
        let (well, ill, against) = (with("well"), with("ill"), with("against"))
        let (k, q) = (facts.placement.watchers, facts.placement.quorum)
        let alive = zip(facts.votes, words).filter { $0.1 != "dead" }
        counts = [
            k, q, well.count, ill.count, against.count,
            Swift.max(k, facts.votes.count) - well.count - ill.count - against.count,
        ]
        (state, cause, reason, detail, row, pendingUntil) = (
            .unknown, .`self`, "unwatched", "No live node monitors it.", 10, nil
        )
        func copy(_ vote: Vote, _ number: Int) {
            (state, cause, reason, detail, row) = (vote.state, vote.cause, vote.reason?.rawValue, vote.detail, number)
        }
        let heard = alive.isEmpty ? facts.votes : alive.map(\.0)
        if let paused = Self.latest(heard.filter { $0.state == .paused })
            ?? Self.latest(heard.filter { $0.state == .maintenance })
        {
            copy(paused, 1)
            return
        }
        let single = k == 1 && alive.first?.1 != "late" && alive.first?.1 != "isolated" ? alive.first?.0 : nil
        let isOwnPath = single?.state == .unreachable && alive.first?.1 == "blind"
        if let parent = facts.blockingParent, !isOwnPath {
            (state, cause, reason, row) = (.unreachable, .parent, "parent_down", 2)
            detail = "It depends on \(parent), which cannot be used."
            return
        }
        func answer() {
            if well.isEmpty, let lead = Self.latest(ill) {
                (state, cause, reason, detail) = (.degraded, lead.cause, lead.reason?.rawValue, lead.detail)
            } else {
                (state, cause, reason, detail) = (.up, nil, nil, nil)
            }
        }
        let positive = well.count + ill.count
        if against.count >= q {
            row = 3
            let targets = against.filter { $0.cause == .target || $0.cause == nil }
            let lead = Self.latest(targets.isEmpty ? against : targets)
            (state, cause) = (.down, targets.isEmpty ? .path : .target)
            (reason, detail) = (lead?.reason?.rawValue, lead?.detail)
            if let single { copy(single, 3) }
        } else if positive > 0, ill.count + against.count >= q {
            row = 4
            let lead = Self.latest(ill)
            (state, cause, reason, detail) = (.degraded, .target, lead?.reason?.rawValue, lead?.detail)
            if let single { copy(single, 4) }
        } else if positive > 0, against.isEmpty {
            row = 5
            answer()
            if let single { copy(single, 5) }
        } else if positive > 0 {
            let begin = facts.disagreeingSince ?? facts.now
            if facts.now - begin < facts.settle {
                row = 6
                pendingUntil = begin + facts.settle
                answer()
            } else {
                row = 7
                (state, cause, reason) = (.degraded, .path, "partly_down")
                var text = "Down from \(Self.names(against))"
                if !ill.isEmpty { text += ", degraded from \(Self.names(ill))" }
                if !well.isEmpty { text += ", up from \(Self.names(well))" }
                detail = text + "."
                if facts.isPartialUp { answer() }
            }
        } else if !against.isEmpty {
            (state, cause, reason, row) = (.unreachable, .localNetwork, "no_quorum", 8)
            detail = "Down from \(Self.names(against)); a verdict needs \(q) locations."
        } else if !alive.isEmpty {
            var causes: Set<StateCause> = []
            for (vote, word) in alive {
                if word == "isolated" { causes.insert(.localNetwork) }
                if word == "blind", vote.state != .unknown { causes.insert(vote.cause ?? .localNetwork) }
            }
            (state, cause, reason, row) = (.unreachable, .localNetwork, "no_location", 9)
            if causes.isEmpty { (state, cause) = (.unknown, .`self`) }
            if causes.count == 1 { cause = causes.first }
            detail = "No location can judge it, not even \(Self.names(alive.map(\.0)))."
            if let single { copy(single, 9) }
        }
    }

    init(_ verdict: FleetVerdict) {
        state = verdict.state
        cause = verdict.cause
        reason = verdict.reason?.rawValue
        detail = verdict.detail
        row = verdict.rule.row
        pendingUntil = verdict.pendingUntil
        let counted = verdict.counts
        counts = [
            counted.watchers, counted.needed, counted.well, counted.ill, counted.against, counted.void,
        ]
    }
}
