// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A change from one state to another.
package struct StateTransition: Sendable, Hashable {
    /// The state before.
    package let from: TargetState
    /// The state now.
    package let to: TargetState

    /// Creates a transition.
    package init(from: TargetState, to: TargetState) {
        self.from = from
        self.to = to
    }
}
