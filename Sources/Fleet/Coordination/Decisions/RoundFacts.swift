// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a round of decisions depends on.
struct RoundFacts: Sendable {
    /// The inbox's rows in the order of their ids.
    var rows: [InboxRow] = []
    /// Targets to decide again without a row, because something else about them changed or because of the time.
    var reevaluated: [String] = []
    /// The targets of both, by id.
    var targets: [String: TargetStanding] = [:]
    /// Their votes, by target and location.
    var votes: [String: [String: StoredVote]] = [:]
    /// The first parent of each that cannot be used.
    var blockingParents: [String: String] = [:]
    /// The placements by their numbers.
    var placements: [Int: Placement] = [:]
    /// All assignments.
    var assignments = AssignmentTable()
    /// The nodes.
    var members = FleetMembers()
    /// The isolated locations.
    var isolated: Set<String> = []
    /// The locations that share enough targets with two others or more to be found isolated.
    var comparable: Set<String> = []
    /// What each location lost within the time that locations need to agree.
    var recentLosses: [String: LossTally.Recent] = [:]
    /// The database's time.
    var now: Duration
    /// The fleet's settings.
    var settings = FleetSettings()

    init(now: Duration) { self.now = now }
}

extension RoundFacts {
    /// The node behind a location's vote.
    func owner(of record: AssignmentRecord, vote: StoredVote?) -> VoteOwner {
        if let loss = members.lossOfOwner(record) { return .lost(since: loss) }
        // The owner of the whole shard confirms it once; its own vote on a target confirms that target before.
        let isConfirmed = record.isConfirmed || vote?.token == record.token
        return isConfirmed ? .confirmed : .unconfirmed(since: record.since)
    }

    /// The votes that count for a target, of those that are stored.
    func votes(_ standing: TargetStanding, _ stored: [String: StoredVote], _ placement: Placement) -> [Vote] {
        let records = assignments.shards[standing.shard] ?? [:]
        let hasOwner = records.values.contains { $0.node != nil }
        let all = records.map { location, record in
            WatchingLocation(
                location: location,
                isOwned: record.node != nil,
                token: record.token,
                since: record.since,
                vote: stored[location]?.token
            )
        }
        return WatchingLocation.counted(all, watchers: placement.watchers, now: now, grace: grace(standing))
            .compactMap { watching in
                let location = watching.location
                guard let record = records[location] else { return nil }
                let vote = watching.vote == nil ? nil : stored[location]
                let owner: VoteOwner =
                    watching.isOwned || !hasOwner
                    ? self.owner(of: record, vote: vote) : .unconfirmed(since: record.since)
                return vote?.vote(from: location, owner: owner)
                    ?? .awaited(from: location, since: record.since, owner: owner)
            }
    }

    /// How long the vote of a predecessor counts.
    func grace(_ standing: TargetStanding) -> Duration {
        VerdictFacts.grace(interval: standing.interval, unwatchedAfter: settings.unwatchedAfter)
    }

    /// Why a row does not count; nil when it does.
    func rejection(of row: InboxRow) -> RejectionReason? {
        if row.content == .unreadable { return .unreadable }
        guard let record = assignments[row.key] else { return .unknownAssignment }
        guard row.token >= record.token else { return .staleToken }
        guard row.token == record.token else { return .unknownAssignment }
        guard row.node == record.node else { return .notOwner }
        if let target = row.target, targets[target]?.shard != row.key.shard { return .unknownTarget }
        return nil
    }
}

/// Why a row of the inbox does not count.
package enum RejectionReason: String, Sendable, Hashable, CaseIterable {
    /// Another program wrote what cannot be read.
    case unreadable
    /// The node observed it under an assignment that another one has replaced.
    case staleToken = "stale_token"
    /// The node does not own the shard.
    case notOwner = "not_owner"
    /// The location does not watch the shard, or the token was never given.
    case unknownAssignment = "unknown_assignment"
    /// The target is not declared, is paused, or belongs to another shard.
    case unknownTarget = "unknown_target"
}
