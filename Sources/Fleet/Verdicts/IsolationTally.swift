// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Finds locations whose own network is the likely cause of their votes.
///
/// A location becomes isolated when it alone is against on at least ``fewestTargets`` and ``fewestPercent`` percent of the targets
/// that it shares with two others or more: of two locations that disagree, neither is the exception. That is decided when the first of
/// these votes has had the time that locations have to agree: before, others that lost the same targets may only be slower. It remains
/// isolated until it has less than half of one of them, so that a location whose network recovers does not change to and fro. Votes are
/// counted as if no location was isolated, so that the isolation ends as soon as the location's own votes do.
///
/// Only the targets that a single location reports down are kept, which are few as long as networks work.
package struct IsolationTally: Sendable, Hashable {
    /// A location with fewer targets down by itself is not isolated.
    package static let fewestTargets = 10
    /// The share of the shared targets, in percent, from which a location is isolated.
    package static let fewestPercent = 20
    /// The number of votes that count from which a target is shared.
    package static let fewestLocations = 3

    private var votes: [String: LoneVote] = [:]
    private var counts: [String: Int] = [:]
    /// Votes that began before this were considered.
    private var considered = Duration.zero

    /// A tally without targets.
    package init() {}

    /// Counts one target, instead of what was counted of it before.
    ///
    /// - Parameters:
    ///   - target: the target's id.
    ///   - vote: the vote of the location that alone is against; nil for none.
    package mutating func record(_ target: String, aloneAgainst vote: LoneVote?) {
        let old = vote.map { votes.updateValue($0, forKey: target) } ?? votes.removeValue(forKey: target)
        if let old { counts.countDown(old.location) }
        if let vote { counts[vote.location, default: 0] += 1 }
    }

    /// The targets that a single location reports down.
    package var targets: [String] { Array(votes.keys) }

    /// The targets that one of these locations alone reports down.
    package func targets(of wanted: Set<String>) -> [String] {
        votes.filter { wanted.contains($0.value.location) }.map(\.key)
    }

    /// The number of targets that a location alone reports down.
    package func count(_ location: String) -> Int { counts[location] ?? 0 }

    /// The isolated locations.
    ///
    /// - Parameters:
    ///   - before: those that are isolated so far.
    ///   - moment: votes that began before are not expected to become those of others, too.
    ///   - shared: the number of targets that each location shares with two others or more; computed only when it matters.
    ///   - isComplete: whether all targets were counted; before that no isolation ends.
    package mutating func isolated(
        before: Set<String>,
        settled moment: Duration,
        shared: () -> [String: Int],
        isComplete: Bool
    ) -> Set<String> {
        let many = Set(counts.filter { $0.value >= Self.fewestTargets }.keys).subtracting(before)
        let candidates = before.union(many.isEmpty ? [] : many.intersection(settling(moment)))
        if isComplete { considered = moment }
        guard !candidates.isEmpty else { return [] }
        let shared = shared()
        return candidates.filter { location in
            let (alone, all) = (count(location), shared[location] ?? 0)
            let weight = before.contains(location) ? 2 : 1
            let isMuch = weight * alone >= Self.fewestTargets && weight * alone * 100 >= all * Self.fewestPercent
            return isMuch || (weight == 2 && !isComplete)
        }
    }

    /// The locations with a vote that settled since the last time. Votes that settled long ago, such as that on a target which a location
    /// never reaches, say nothing about newer ones.
    private func settling(_ moment: Duration) -> Set<String> {
        Set(votes.values.lazy.filter { considered < $0.since && $0.since <= moment }.map(\.location))
    }
}

/// The vote of a location that alone reports a target down.
package struct LoneVote: Sendable, Hashable {
    /// The location.
    package let location: String
    /// When the locations began to disagree.
    package let since: Duration

    /// Creates a value.
    package init(location: String, since: Duration) { (self.location, self.since) = (location, since) }
}

extension FleetSettings {
    /// How long a location may be alone against before that says something about it: until a renewal before a verdict shows the
    /// disagreement, so that no verdict shows that of an isolated location.
    var agreement: Duration { max(settle - lease / 5, .zero) }
}

extension VerdictFacts {
    /// The vote of the location that alone is against, of at least ``IsolationTally/fewestLocations`` that judge the target, as if none was
    /// isolated; nil when there is none.
    package var aloneAgainst: Vote? {
        guard placement.watchers >= IsolationTally.fewestLocations else { return nil }
        var facts = self
        facts.isolated = []
        var judging = 0
        var against: [Vote] = []
        for vote in votes {
            switch facts.standing(of: vote) {
            case .void: continue
            case .against: against.append(vote)
            case .well, .ill: break
            }
            judging += 1
        }
        return judging >= IsolationTally.fewestLocations && against.count == 1 ? against.first : nil
    }
}
