// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What the renewal of a node's lease tells about the coordinator.
package struct LeaseFacts: Sendable, Hashable {
    /// This run of the node.
    package var identity: NodeIdentity
    /// Whether the coordinator's lease has ended.
    package var isVacant: Bool
    /// The run of the node that is the coordinator, or was the last one; nil before the first.
    package var coordinator: NodeIdentity?
    /// That coordinator's token.
    package var token: Int64
    /// How long the renewal took from sending to its answer.
    package var roundTrip: Duration

    /// Creates facts.
    package init(
        identity: NodeIdentity,
        isVacant: Bool,
        coordinator: NodeIdentity? = nil,
        token: Int64 = 0,
        roundTrip: Duration = .zero
    ) {
        self.identity = identity
        self.isVacant = isVacant
        self.coordinator = coordinator
        self.token = token
        self.roundTrip = roundTrip
    }

    /// How long to wait before a claim: a node that is closer to the database claims before one that is farther away.
    var claimDelay: Duration { min(max(roundTrip, .zero) * 8, .milliseconds(500)) }
}
