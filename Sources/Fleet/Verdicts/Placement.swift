// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// How many locations watch a target, how many of them must report it down, and which may watch.
///
/// Targets with equal placements share shards and assignments.
package struct Placement: Sendable, Hashable {
    /// How many locations may watch one target; one vote for each is read with every verdict.
    package static let watchersRange = 1...31

    /// The number of locations that watch each target.
    package let watchers: Int
    /// The number of votes against a target that set it `down`.
    package let quorum: Int
    /// The locations that may watch, sorted; empty permits all.
    package let locations: [String]

    /// One location of any watches.
    package static let single = Placement(one: ())

    private init(one: Void) {
        (watchers, quorum, locations) = (1, 1, [])
    }

    /// Checks and creates a placement.
    ///
    /// - Parameters:
    ///   - watchers: how many locations watch each target.
    ///   - quorum: how many of them must report a target down; nil is the majority, `watchers / 2 + 1`.
    ///   - locations: the locations that may watch, in any order; empty permits all.
    /// - Throws: `watchers` or `quorum` when a number is out of its range, `locations` when fewer are permitted than watch.
    package init(watchers: Int = 1, quorum: Int? = nil, locations: [String] = []) throws(PlacementError) {
        guard Self.watchersRange.contains(watchers) else { throw .watchers }
        let needed = quorum ?? watchers / 2 + 1
        guard 1...watchers ~= needed else { throw .quorum }
        let distinct = Set(locations).sorted()
        guard distinct.isEmpty || distinct.count >= watchers else { throw .locations }
        self.watchers = watchers
        self.quorum = needed
        self.locations = distinct
    }

    /// Whether a location may watch.
    package func permits(_ location: String) -> Bool { locations.isEmpty || locations.contains(location) }
}

/// Why a placement was refused.
package enum PlacementError: String, Error, Sendable, Hashable, CaseIterable {
    /// The number of watchers is out of ``Placement/watchersRange``.
    case watchers
    /// The quorum is below 1 or above the number of watchers.
    case quorum
    /// Fewer locations are permitted than must watch.
    case locations
}
