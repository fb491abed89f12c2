// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A location that watches a target, or watched it, and whether its stored vote may count.
///
/// As many locations count as are to watch. Of the stored votes those count that were reported under the greatest tokens: an older one is
/// of a location whose place another one has taken since, and says nothing when the location gets the target back, or when the last
/// owner is lost. Until the owner in a new location has reported, the vote of the location before it counts, as that of a predecessor in
/// the same location does.
struct WatchingLocation: Sendable, Hashable {
    let location: String
    /// Whether a node is assigned.
    let isOwned: Bool
    /// The token of the assignment.
    let token: Int64
    /// When the node was assigned, or since when there is none.
    let since: Duration
    /// The token under which the stored vote was reported; nil when there is none, or when it does not count.
    var vote: Int64?

    /// Whether the owner has reported itself.
    private var isOwn: Bool { isOwned && vote == token }

    /// Selects the locations that count, sorted by name.
    ///
    /// - Parameters:
    ///   - all: all locations that are or were assigned to the target's shard.
    ///   - watchers: how many are to watch.
    ///   - now: the database's time.
    ///   - grace: how long the vote of a predecessor counts.
    static func counted(_ all: [WatchingLocation], watchers: Int, now: Duration, grace: Duration) -> [WatchingLocation]
    {
        let owned = all.count(where: \.isOwned)
        let hasOwner = owned > 0
        var voting = all.filter { $0.vote != nil }.sorted { $0.counts(before: $1) }.prefix(watchers).map(\.self)
        if hasOwner {
            // Each of them only in the place of an owner that has no vote.
            let former = voting.filter { !$0.isOwned }.prefix(owned - voting.count(where: \.isOwned))
            voting = voting.filter(\.isOwned) + former.filter { now - $0.since <= grace }
        }
        let names = Set(voting.map(\.location))
        // Locations without an owner count only when no other is assigned: they tell when the last owner was lost.
        let others = all.filter { $0.isOwned == hasOwner && !names.contains($0.location) }
            .sorted { ($1.token, $0.location) < ($0.token, $1.location) }
            .map { other in
                var other = other
                other.vote = nil
                return other
            }
        return (voting + others.prefix(max(0, watchers - voting.count))).sorted { $0.location < $1.location }
    }

    private func counts(before other: WatchingLocation) -> Bool {
        if isOwn != other.isOwn { return isOwn }
        if vote != other.vote { return vote ?? 0 > other.vote ?? 0 }
        if isOwned != other.isOwned { return isOwned }
        return (other.token, location) < (token, other.location)
    }
}
