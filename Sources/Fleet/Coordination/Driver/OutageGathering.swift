// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a coordinator waits for when the database returns after an outage: that every node has reported what it observed meanwhile.
///
/// The reports then count in the order of the observations. In the order of their arrival, the whole story of one location would come
/// before that of the next, and an outage of a target that all locations saw begin and end would be no event.
struct OutageGathering: Sendable, Hashable {
    /// How long it waits at most.
    static let limit = Duration.seconds(15)

    /// When the term began, by the database's clock.
    private let start: Duration
    /// A node whose lease had ended before this was lost already.
    private let outage: Duration
    /// Whether reports may still be missing.
    private(set) var isWaiting = true

    /// Begins when nobody coordinated for longer than a lease; a takeover is faster.
    ///
    /// - Parameters:
    ///   - vacancy: how long nobody did.
    ///   - lease: how long a lease is valid.
    ///   - now: the database's time.
    /// - Returns: nil when there is nothing to gather.
    init?(vacancy: Duration, lease: Duration, now: Duration) {
        guard vacancy > lease else { return nil }
        start = now
        outage = now - vacancy - lease
    }

    /// Takes the nodes as they are.
    ///
    /// - Parameters:
    ///   - look: the nodes.
    ///   - dead: those that no longer probe.
    ///   - lease: how long a lease is valid.
    mutating func looked(_ look: FleetLook, dead: Set<String>, lease: Duration) {
        let isComplete = look.rows.allSatisfy { row in
            // A lease is renewed up to its length ahead.
            dead.contains(row.node.name) || row.node.until < outage
                || (row.node.until - lease >= start && row.backlog == 0)
        }
        isWaiting = !isComplete && look.now - start < Self.limit
    }
}
