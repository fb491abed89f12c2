// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Keeps shards away from a node that loses its lease again and again.
///
/// After three losses within ten minutes it receives nothing for 10 minutes, the next times for 20, 40 and 60. An hour after
/// the end of a hold-down the next one takes 10 minutes again.
package struct HoldDown: Sendable, Hashable {
    /// The number of losses that begin a hold-down.
    package static let losses = 3
    /// The time within which they count.
    package static let window = Duration.seconds(600)
    /// The length of the first hold-down.
    package static let shortest = Duration.seconds(600)
    /// The length of the longest one, and the time after which the length begins at ``shortest`` again.
    package static let longest = Duration.seconds(3_600)

    /// When the node receives shards again; nil when no hold-down was necessary yet.
    package private(set) var until: Duration?
    private var recent: [Duration] = []
    private var length = Duration.zero

    /// A node that lost no lease.
    package init() {}

    /// Whether the node receives nothing.
    package func isActive(_ now: Duration) -> Bool { until.map { now < $0 } ?? false }

    /// Whether nothing of the past matters any more.
    package func isOver(_ now: Duration) -> Bool {
        let isForgotten = until.map { now - $0 >= Self.longest } ?? true
        return isForgotten && recent.allSatisfy { now - $0 >= Self.window }
    }

    /// Records a lost lease.
    ///
    /// - Parameter now: the database's time.
    package mutating func recordLoss(_ now: Duration) {
        recent = recent.filter { now - $0 < Self.window } + [now]
        guard recent.count >= Self.losses else { return }
        recent = []
        let isForgotten = until.map { now - $0 >= Self.longest } ?? true
        length = isForgotten ? Self.shortest : min(length * 2, Self.longest)
        until = now + length
    }
}
