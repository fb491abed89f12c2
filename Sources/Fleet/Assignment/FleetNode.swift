// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A node as the database knows it.
///
/// Instants are durations since the Unix epoch by the database's clock.
package struct FleetNode: Sendable, Hashable {
    /// What the node's operator wants of it.
    package enum Intent: String, Sendable, Hashable, CaseIterable {
        /// It probes.
        case serve
        /// It keeps its shards until other nodes take them, and receives none.
        case drain
        /// It stopped in an orderly way: its shards move immediately.
        case leave
    }

    /// The largest capacity that counts, so that no sum of capacities overflows.
    package static let largestCapacity = 1_000_000_000

    /// Its unique name.
    package let name: String
    /// The location that it probes from.
    package let location: String
    /// The greatest number of targets that are assigned to it.
    package let capacity: Int
    /// When its lease ends.
    package let until: Duration
    /// Since when no two of its renewals were more than half a lease apart.
    package let resumed: Duration
    /// What its operator wants of it.
    package let intent: Intent

    /// Creates a node; a capacity is limited to 0 … ``largestCapacity``.
    package init(
        name: String,
        location: String,
        capacity: Int,
        until: Duration,
        resumed: Duration,
        intent: Intent = .serve
    ) {
        self.name = name
        self.location = location
        self.capacity = min(max(0, capacity), Self.largestCapacity)
        self.until = until
        self.resumed = resumed
        self.intent = intent
    }

    /// Whether its lease is valid.
    package func isLive(_ now: Duration) -> Bool { until > now && intent != .leave }
}

/// Whether a node can be counted on; raw values are the HTTP contract's.
package enum FleetNodeState: String, Sendable {
    /// Its lease is valid.
    case live
    /// Its lease is valid, and its targets move to other nodes.
    case draining
    /// It stopped in an orderly way.
    case departed
    /// Its lease ended.
    case lost
}

extension [FleetNode] {
    /// The names of nodes that no longer probe: those that left, and those whose lease ended while another node's is at least one
    /// lease old. After an outage of the database every node thus has one lease to return before its shards move.
    ///
    /// - Parameters:
    ///   - now: the database's time.
    ///   - lease: how long a lease is valid.
    package func dead(_ now: Duration, lease: Duration) -> Set<String> {
        let hasWitness = contains { $0.isLive(now) && now - $0.resumed >= lease }
        return Set(filter { $0.intent == .leave || (hasWitness && !$0.isLive(now)) }.map(\.name))
    }
}
