// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A change that was seen and is not confirmed yet.
package struct PendingVerdict: Sendable, Hashable {
    /// The state that the results speak for.
    package let toward: TargetState
    /// How many results in a row speak for it.
    package let count: Int
    /// How many it takes.
    package let of: Int

    /// Creates a pending verdict.
    package init(toward: TargetState, count: Int, of: Int) {
        self.toward = toward
        self.count = count
        self.of = of
    }
}
