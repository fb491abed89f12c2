// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Finds locations whose own network is the likely cause of their votes.
///
/// A location becomes isolated when it alone is against on at least ``fewestTargets`` and ``fewestPercent`` percent of the targets
/// that it shares with two others or more: of two locations that disagree, neither is the exception. It remains isolated until it has
/// less than half of one of them, so that a location whose network recovers does not change to and fro. Votes are counted as if no
/// location was isolated, so that the isolation ends as soon as the location's own votes do.
///
/// Only the targets that a single location reports down are kept, which are few as long as networks work.
package struct IsolationTally: Sendable, Hashable {
    /// A location with fewer targets down by itself is not isolated.
    package static let fewestTargets = 10
    /// The share of the shared targets, in percent, from which a location is isolated.
    package static let fewestPercent = 20
    /// The number of votes that count from which a target is shared.
    package static let fewestLocations = 3

    private var locations: [String: String] = [:]
    private var counts: [String: Int] = [:]

    /// A tally without targets.
    package init() {}

    /// Counts one target, instead of what was counted of it before.
    ///
    /// - Parameters:
    ///   - target: the target's id.
    ///   - location: the location that alone is against (``VerdictFacts/aloneAgainst``); nil for none.
    package mutating func record(_ target: String, aloneAgainst location: String?) {
        let old = location.map { locations.updateValue($0, forKey: target) } ?? locations.removeValue(forKey: target)
        if let old { counts[old] = counts[old].flatMap { $0 > 1 ? $0 - 1 : nil } }
        if let location { counts[location, default: 0] += 1 }
    }

    /// The targets that a single location reports down.
    package var targets: [String] { Array(locations.keys) }

    /// The targets that one of these locations alone reports down.
    package func targets(of wanted: Set<String>) -> [String] {
        locations.filter { wanted.contains($0.value) }.map(\.key)
    }

    /// The number of targets that a location alone reports down.
    package func count(_ location: String) -> Int { counts[location] ?? 0 }

    /// The isolated locations.
    ///
    /// - Parameters:
    ///   - before: those that are isolated so far.
    ///   - shared: the number of targets that each location shares with two others or more; computed only when it matters.
    ///   - isComplete: whether all targets were counted; before that no isolation ends.
    package func isolated(
        before: Set<String>,
        shared: () -> [String: Int],
        isComplete: Bool
    ) -> Set<String> {
        let candidates = Set(counts.filter { $0.value >= Self.fewestTargets }.keys).union(before)
        guard !candidates.isEmpty else { return [] }
        let shared = shared()
        return candidates.filter { location in
            let (alone, all) = (count(location), shared[location] ?? 0)
            let weight = before.contains(location) ? 2 : 1
            let isMuch = weight * alone >= Self.fewestTargets && weight * alone * 100 >= all * Self.fewestPercent
            return isMuch || (weight == 2 && !isComplete)
        }
    }
}

extension VerdictFacts {
    /// The location that alone is against, of at least ``IsolationTally/fewestLocations`` that judge the target, as if none was
    /// isolated; nil when there is none.
    package var aloneAgainst: String? {
        guard placement.watchers >= IsolationTally.fewestLocations else { return nil }
        var facts = self
        facts.isolated = []
        var judging = 0
        var against: [String] = []
        for vote in votes {
            switch facts.standing(of: vote) {
            case .void: continue
            case .against: against.append(vote.location)
            case .well, .ill: break
            }
            judging += 1
        }
        return judging >= IsolationTally.fewestLocations && against.count == 1 ? against.first : nil
    }
}
