// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring

/// Targets that are assigned together: those of one placement whose ids have the same hash.
package struct Shard: Sendable, Hashable, Comparable {
    /// The number of shards of a placement. Fixed for the life of a fleet, because it decides where each target belongs.
    package static let count = 1_024

    /// The placement's number.
    package let placement: Int
    /// The shard's number, from 0 to ``count`` - 1.
    package let number: Int

    /// Creates a shard.
    package init(placement: Int, number: Int) {
        self.placement = placement
        self.number = number
    }

    /// The shard of a target.
    ///
    /// - Parameters:
    ///   - id: the target's id.
    ///   - placement: the number of its placement.
    package init(of id: String, placement: Int) {
        self.init(placement: placement, number: Int(StableHash.hash(id) % UInt64(Self.count)))
    }

    /// Orders shards by placement, then by number.
    package static func < (left: Shard, right: Shard) -> Bool {
        (left.placement, left.number) < (right.placement, right.number)
    }

    /// Names by rendezvous hashing, the preferred one first.
    ///
    /// Each pair of shard and name has its own hash, so that a name that comes or goes changes only the shards that prefer it.
    /// Never take a hash modulo the number of names: that moves nearly every shard.
    ///
    /// - Parameter names: distinct names of locations or nodes, in any order.
    package func preferred(_ names: some Sequence<String>) -> [String] {
        names.map { (name: $0, score: score($0)) }
            .sorted { ($0.score, $1.name) > ($1.score, $0.name) }
            .map(\.name)
    }

    /// How much a shard prefers a name: the same on every machine, unlike the standard library's hashes.
    func score(_ name: String) -> UInt64 {
        let seed = UInt64(truncatingIfNeeded: placement) << 32 | UInt64(truncatingIfNeeded: number)
        return StableHash.hash(name, seed: seed &+ 1)
    }
}
