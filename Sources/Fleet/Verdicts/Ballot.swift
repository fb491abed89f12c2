// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring

/// The votes on one target with their standings, which the rows of ``FleetVerdict`` read.
struct Ballot {
    struct Content {
        var state: TargetState
        var cause: StateCause?
        var reason: FleetReason?
        var detail: String?
    }

    private let facts: VerdictFacts
    private let votes: [(vote: Vote, standing: VoteStanding)]
    let counts: VoteCounts

    init(_ facts: VerdictFacts) {
        self.facts = facts
        votes = facts.effectiveVotes.map { ($0, facts.standing(of: $0)) }
        counts = VoteCounts(votes.map(\.standing), placement: facts.placement)
    }

    /// When locations that disagree are no longer expected to agree by themselves.
    var settledAt: Duration { (facts.disagreeingSince ?? facts.now) + facts.settle }

    /// The first row that applies.
    var rule: FleetVerdictRule {
        let (answers, against) = (counts.well + counts.ill, counts.against)
        if suspendedVote != nil { return .suspended }
        if facts.blockingParent != nil, !isHeldByOwnPath { return .parentDown }
        if against >= counts.needed { return .quorum }
        if answers >= 1 {
            if counts.ill + against >= counts.needed { return .quorumDegraded }
            if against == 0 { return .answering }
            return facts.now < settledAt ? .disagreement : .partlyDown
        }
        if against >= 1 { return .noQuorum }
        return liveVotes.isEmpty ? .unwatched : .noLocation
    }

    /// What a row reports.
    func content(_ rule: FleetVerdictRule) -> Content {
        switch rule {
        case .suspended: suspendedVote.map(own) ?? answering
        case .parentDown:
            Content(
                state: .unreachable,
                cause: .parent,
                reason: .vote(.parentDown),
                detail: "It depends on \(facts.blockingParent ?? "a target"), which cannot be used."
            )
        case .quorum: onlyWatcher.map(own) ?? down
        case .quorumDegraded: onlyWatcher.map(own) ?? degraded(.target)
        case .answering: onlyWatcher.map(own) ?? answering
        case .disagreement: answering
        case .partlyDown: facts.isPartialUp ? answering : partlyDown
        case .noQuorum:
            Content(
                state: .unreachable,
                cause: .localNetwork,
                reason: .noQuorum,
                detail: "Down from \(list(.against)); a verdict needs \(counts.needed) locations."
            )
        case .noLocation: judgingOnlyWatcher.map(own) ?? noLocation
        case .unwatched:
            Content(state: .unknown, cause: .`self`, reason: .unwatched, detail: "No live node monitors it.")
        }
    }

    // MARK: Votes

    /// The votes of live nodes, void or not.
    private var liveVotes: [(vote: Vote, standing: VoteStanding)] {
        votes.filter { $0.standing != .void(.noOwner) }
    }

    /// A pause or a maintenance is declared for all locations, so that one live node's vote is enough, and a node that is not
    /// alive is evidence only when no node is. A pause takes precedence, as on a single node.
    private var suspendedVote: Vote? {
        let voters = liveVotes.isEmpty ? votes : liveVotes
        return [TargetState.paused, .maintenance].lazy
            .compactMap { state in voters.map(\.vote).filter { $0.state == state }.newest }.first
    }

    private var onlyWatcher: Vote? { facts.placement.watchers == 1 ? liveVotes.first?.vote : nil }

    /// The only watcher, when nothing but its own state made its vote void.
    private var judgingOnlyWatcher: Vote? {
        liveVotes.first?.standing == .void(.cannotJudge) ? onlyWatcher : nil
    }

    private var isHeldByOwnPath: Bool { judgingOnlyWatcher?.state == .unreachable }

    private func votes(_ standing: VoteStanding) -> [Vote] {
        votes.filter { $0.standing == standing }.map(\.vote)
    }

    private func list(_ standing: VoteStanding) -> String { votes(standing).map(\.location).enumeration }

    // MARK: Contents

    private func own(_ vote: Vote) -> Content {
        Content(state: vote.state, cause: vote.cause, reason: vote.reason.map(FleetReason.vote), detail: vote.detail)
    }

    /// The reason comes from a vote that has the verdict's cause, since the cause explains it.
    private var down: Content {
        let against = votes(.against)
        let blaming = against.filter { $0.cause != .path }
        let lead = (blaming.isEmpty ? against : blaming).newest
        return Content(
            state: .down,
            cause: blaming.isEmpty ? .path : .target,
            reason: lead?.reason.map(FleetReason.vote),
            detail: lead?.detail
        )
    }

    private func degraded(_ cause: StateCause?) -> Content {
        let lead = votes(.ill).newest
        return Content(
            state: .degraded,
            cause: cause ?? lead?.cause,
            reason: lead?.reason.map(FleetReason.vote),
            detail: lead?.detail
        )
    }

    private var answering: Content { counts.well > 0 ? Content(state: .up) : degraded(nil) }

    private var partlyDown: Content {
        let parts = [("down", VoteStanding.against), ("degraded", .ill), ("up", .well)].compactMap { word, standing in
            votes(standing).isEmpty ? nil : "\(word) from \(list(standing))"
        }
        let sentence = parts.joined(separator: ", ")
        return Content(
            state: .degraded,
            cause: .path,
            reason: .partlyDown,
            detail: sentence.prefix(1).uppercased() + sentence.dropFirst() + "."
        )
    }

    /// A vote that is not confirmed is as good as `unknown`.
    private var noLocation: Content {
        let causes = liveVotes.compactMap { vote, standing -> StateCause? in
            switch standing {
            case .void(.isolated): .localNetwork
            case .void(.cannotJudge): vote.state == .unknown ? nil : vote.cause ?? .localNetwork
            default: nil
            }
        }
        let common = causes.allSatisfy { $0 == causes.first } ? causes.first : .localNetwork
        let locations = liveVotes.map(\.vote.location)
        return Content(
            state: causes.isEmpty ? .unknown : .unreachable,
            cause: common ?? .`self`,
            reason: .noLocation,
            detail: "No location can judge it, not even \(locations.enumeration)."
        )
    }
}

extension [String] {
    /// The names in a sentence.
    var enumeration: String {
        let sorted = sorted()
        guard let last = sorted.last, sorted.count > 1 else { return sorted.first ?? "" }
        return "\(sorted.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension [Vote] {
    /// The vote whose state began last; of equal ones that of the location first in the alphabet, so that every coordinator
    /// selects the same one.
    fileprivate var newest: Vote? {
        self.min { ($1.since, $0.location) < ($0.since, $1.location) }
    }
}
