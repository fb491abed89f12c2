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

/// The targets that some locations lost while others reach them: what leads from there, such as a provider, may be at fault.
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

    /// A tally without targets.
    package init() {}

    /// Counts one target, instead of what was counted of it before.
    package mutating func record(_ target: String, _ loss: Loss?) {
        losses[target] = loss.flatMap { $0.isSeen ? $0 : nil }
    }

    /// The targets that a location lost.
    var targets: [String] { Array(losses.keys) }

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
}
