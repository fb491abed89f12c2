// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Which locations get no answer from a target.
package struct Loss: Sendable, Hashable {
    /// The locations, sorted; not empty.
    package let locations: [String]
    /// When the last of them lost it.
    package let since: Duration
    /// Whether others reach it, of ``IsolationTally/fewestLocations`` that judge it: the fault is on the way, and not the target's.
    package let isSeen: Bool

    /// Creates a value.
    package init(locations: [String], since: Duration, isSeen: Bool) {
        (self.locations, self.since, self.isSeen) = (locations.sorted(), since, isSeen)
    }
}

/// Finds locations that lost many targets together which others reach: what leads from there, such as a provider, is at fault, and not
/// each of the targets.
///
/// Only targets count that one location or more reach and others do not, which are few as long as networks work.
package struct LossTally: Sendable, Hashable {
    /// The losses of a location that are recent.
    struct Recent: Sendable, Hashable {
        /// How many there are.
        var count = 0
        /// When the first began.
        var since: Duration
    }

    private var losses: [String: Loss] = [:]
    private var counts: [String: Int] = [:]

    /// A tally without targets.
    package init() {}

    /// Counts one target, instead of what was counted of it before.
    package mutating func record(_ target: String, _ loss: Loss?) {
        let loss = loss.flatMap { $0.isSeen ? $0 : nil }
        let old = loss.map { losses.updateValue($0, forKey: target) } ?? losses.removeValue(forKey: target)
        for location in old?.locations ?? [] { counts.countDown(location) }
        for location in loss?.locations ?? [] { counts[location, default: 0] += 1 }
    }

    /// The locations that lost many targets, together or not.
    var losers: Set<String> { Set(counts.filter { $0.value >= IsolationTally.fewestTargets }.keys) }

    /// The targets that a location lost.
    var targets: [String] { Array(losses.keys) }

    /// The targets that one of these locations lost.
    func targets(of wanted: Set<String>) -> [String] {
        wanted.isEmpty ? [] : losses.filter { $0.value.locations.contains(where: wanted.contains) }.map(\.key)
    }

    /// What each location lost after a time.
    func recent(after moment: Duration) -> [String: Recent] {
        var recent: [String: Recent] = [:]
        for loss in losses.values where loss.since > moment {
            for location in loss.locations {
                let since = min(loss.since, recent[location]?.since ?? loss.since)
                recent[location] = Recent(count: (recent[location]?.count ?? 0) + 1, since: since)
            }
        }
        return recent
    }

    /// When each location that lost many targets lost them, in order.
    func moments() -> [String: [Duration]] {
        let losers = losers
        var moments: [String: [Duration]] = [:]
        guard !losers.isEmpty else { return moments }
        for loss in losses.values {
            for location in loss.locations where losers.contains(location) {
                moments[location, default: []].append(loss.since)
            }
        }
        return moments.mapValues { $0.sorted() }
    }
}

extension [Duration] {
    /// The number of elements in a range; they are sorted.
    func count(in range: ClosedRange<Duration>) -> Int {
        firstPlace { $0 > range.upperBound } - firstPlace { $0 >= range.lowerBound }
    }
}

extension Array {
    /// The index of the first element of which a condition holds, as of all after it; the number of elements for none.
    func firstPlace(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension [String: Int] {
    /// Counts one less of something; what is left of nothing is forgotten.
    mutating func countDown(_ key: String) { self[key] = self[key].flatMap { $0 > 1 ? $0 - 1 : nil } }
}
