// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A change from one state to another.
public struct StateTransition: Sendable, Hashable {
    /// The state before.
    public let from: TargetState
    /// The state now.
    public let to: TargetState

    /// Creates a transition.
    public init(from: TargetState, to: TargetState) {
        self.from = from
        self.to = to
    }
}
