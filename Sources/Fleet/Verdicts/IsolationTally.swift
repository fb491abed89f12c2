// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Finds locations whose own network is the likely cause of their votes.
///
/// A location is isolated when it alone is against on at least ``fewestTargets`` and ``fewestPercent`` percent of the targets
/// that it shares with others. Only targets with votes that count from at least ``fewestLocations`` count as shared: of two
/// locations that disagree, neither is the exception. Votes are counted as if no location was isolated, so that the isolation
/// ends as soon as the location's own votes do.
package struct IsolationTally: Sendable, Hashable {
    /// A location with fewer targets down by itself is not isolated.
    package static let fewestTargets = 10
    /// The share of the shared targets, in percent, from which a location is isolated.
    package static let fewestPercent = 20
    /// The number of votes that count from which a target is shared.
    package static let fewestLocations = 3

    private struct Counts: Sendable, Hashable {
        var shared = 0
        var aloneAgainst = 0
    }

    private var counts: [String: Counts] = [:]

    /// A tally without targets.
    package init() {}

    /// Counts the votes on one more target.
    ///
    /// - Parameter facts: the target's votes; the isolated locations in it are disregarded.
    package mutating func add(_ facts: VerdictFacts) { change(facts, by: 1) }

    /// Takes back the votes on one target, before it is counted with others or when it is removed.
    ///
    /// - Parameter facts: the facts that were added.
    package mutating func remove(_ facts: VerdictFacts) { change(facts, by: -1) }

    /// The isolated locations.
    package var isolated: Set<String> {
        Set(
            counts.filter { _, count in
                count.aloneAgainst >= Self.fewestTargets
                    && count.aloneAgainst * 100 >= count.shared * Self.fewestPercent
            }.keys
        )
    }

    private mutating func change(_ facts: VerdictFacts, by step: Int) {
        var facts = facts
        facts.isolated = []
        let judging = facts.votes.map { ($0.location, facts.standing(of: $0)) }.filter { _, standing in
            if case .void = standing { false } else { true }
        }
        guard judging.count >= Self.fewestLocations else { return }
        let against = judging.filter { $0.1 == .against }
        for (location, _) in judging { counts[location, default: Counts()].shared += step }
        if against.count == 1, let alone = against.first { counts[alone.0, default: Counts()].aloneAgainst += step }
        for (location, _) in judging where counts[location] == Counts() { counts[location] = nil }
    }
}
